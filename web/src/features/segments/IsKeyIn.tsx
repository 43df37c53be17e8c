import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { listLargeSegmentKeys } from '#contract/large-segments.ts';
import { listKeys } from '#contract/segments.ts';
import { type ListedKey, longestKey } from '#domain/segments.ts';
import { Failure } from '../../kit/Failure.tsx';
import { call } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import type { Environment } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { Time } from '../../ui/Time.tsx';
import { Origin } from './Origin.tsx';
import styles from './SegmentPage.module.css';
import type { SegmentAnswer } from './segments-query.ts';

interface Props {
  readonly segment: SegmentAnswer;
  readonly environment: Environment;
}

interface Found {
  readonly key: string;
  readonly entry: ListedKey | undefined;
  /** In the other environments where the segment is active. */
  readonly elsewhere: readonly { readonly name: string; readonly isIn: boolean }[];
}

/** More lookups than that are no answer at a glance. */
const maxElsewhere = 12;

/** Looks up one key. */
export function IsKeyIn({ segment, environment }: Props) {
  const [text, setText] = useState('');
  const looking = useMutation<Found, ApiProblem, string>({
    mutationFn: async (key) => {
      const others = (segment.environments ?? []).filter((one) => one.active && one.environment.id !== environment.id);
      const [entry, ...elsewhere] = await Promise.all([
        find(segment, environment.id, key),
        ...others.slice(0, maxElsewhere).map(async ({ environment: { id, name } }) => ({
          name,
          isIn: (await find(segment, id, key)) !== undefined,
        })),
      ]);
      return { key, entry, elsewhere };
    },
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (text.trim() !== '' && !looking.isPending) looking.mutate(text.trim());
  };
  return (
    <section className={styles.part} aria-labelledby="is-key-in">
      <h2 id="is-key-in">Is a key in it?</h2>
      <form className={styles.part} onSubmit={onSubmit}>
        <Field
          name="key"
          label="Key"
          face="name"
          value={text}
          maxLength={longestKey}
          onChange={({ target }) => setText(target.value)}
        />
        <div>
          <Button type="submit" isBusy={looking.isPending}>
            Look up
          </Button>
        </div>
      </form>
      {looking.error && <Failure problem={looking.error} />}
      <div role="status">{looking.data && <Verdict found={looking.data} environment={environment} />}</div>
    </section>
  );
}

function Verdict({ found, environment }: { readonly found: Found; readonly environment: Environment }) {
  const { key, entry } = found;
  const others = othersOf(found);
  return (
    <>
      <p className={styles.answer}>
        {entry ? <CircleCheck size={16} className={styles.yes} aria-hidden /> : <CircleDashed size={16} aria-hidden />}
        <span>
          <span className={styles.key}>{key}</span> is {entry ? 'in the segment' : 'not in the segment'} in{' '}
          {environment.name}.
        </span>
      </p>
      {entry?.addedAt !== undefined && (
        <p className={styles.quiet}>
          Added <Time at={entry.addedAt} /> <Origin entry={entry} />
        </p>
      )}
      {others !== '' && <p className={styles.quiet}>{others}</p>}
    </>
  );
}

/** "Also in Staging, not in Development." */
function othersOf({ entry, elsewhere }: Found): string {
  const namesOf = (isIn: boolean) => elsewhere.flatMap((one) => (one.isIn === isIn ? one.name : [])).join(', ');
  const [there, missing] = [namesOf(true), namesOf(false)];
  if (there === '') return missing === '' ? '' : `Not in ${missing}${entry ? '' : ' either'}.`;
  return `${entry ? 'Also in' : 'In'} ${there}${missing === '' ? '' : `, not in ${missing}`}.`;
}

/** Keys are sorted, so an existing key is the first of those that start with it, or that are not smaller. */
async function find({ kind, name }: SegmentAnswer, environment: string, key: string): Promise<ListedKey | undefined> {
  const { keys } =
    kind === 'large'
      ? await call(listLargeSegmentKeys, {
          params: { environment, largeSegment: name },
          query: { from: key, limit: 1 },
        })
      : await call(listKeys, {
          params: { environment, segment: name },
          query: { prefix: key, limit: 1, expand: 'origin' },
        });
  const [first] = keys;
  return first?.key === key ? first : undefined;
}
