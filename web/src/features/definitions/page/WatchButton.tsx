import { Bell, BellRing } from 'lucide-react';
import { useFlag } from '../../../server/flag.ts';
import { useMe } from '../../../server/session.ts';
import { useWatches, useWatching } from '../../../server/watches.ts';
import { toast, toastFailure } from '../../../state/toasts.ts';
import { Button } from '../../../ui/Button.tsx';

/** Asks for mails about what others change. */
export function WatchButton() {
  const { id } = useFlag();
  const watches = useWatches();
  const watching = useWatching();
  const { sendsMail } = useMe();
  if (watches.isError) return null;
  const isWatched = watches.data?.some(({ flag }) => flag.id === id) ?? false;
  const Icon = isWatched ? BellRing : Bell;
  const change = () =>
    watching.mutate(
      { id, isWatched: !isWatched },
      {
        onSuccess: () =>
          toast(
            isWatched
              ? 'You no longer watch it.'
              : `You watch it${sendsMail ? ': you get a mail when others change it' : ', but this server sends no mail'}.`,
          ),
        onError: ({ message }) => toastFailure(message),
      },
    );
  return (
    <Button
      title={
        isWatched
          ? 'You get a mail when others change this flag. Press to stop.'
          : 'Get a mail when others change this flag'
      }
      isBusy={watches.isPending || watching.isPending}
      onClick={change}
    >
      <Icon size={15} aria-hidden />
      {isWatched ? 'Watching' : 'Watch'}
    </Button>
  );
}
