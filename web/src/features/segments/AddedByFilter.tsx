import { useQuery } from '@tanstack/react-query';
import { listKeyChanges } from '#contract/segments.ts';
import { countOf } from '../../administration/count.ts';
import { reading } from '../../server/api.ts';
import type { Environment } from '../../server/project.ts';
import { FilterButton } from '../../ui/FilterButton.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { ShortTime } from '../../ui/Time.tsx';
import { sourceWords } from './Origin.tsx';

/** How many of the last calls it offers. */
const offered = 100;

interface Props {
  readonly segment: string;
  readonly environment: Environment;
  /** When the call was made. */
  readonly value: number | undefined;
  readonly onChange: (addedAt: number | undefined) => void;
}

/** Keys that one call added: all of a file, for example, to check or remove them. */
export function AddedByFilter({ segment, environment, value, onChange }: Props) {
  const { data } = useQuery(
    reading(listKeyChanges, { params: { environment: environment.id, segment }, query: { limit: offered } }),
  );
  const calls = (data?.objects ?? []).filter(({ added }) => added > 0);
  const chosen = calls.find(({ at }) => at === value);
  return (
    <FilterButton
      what="Added by"
      value={value === undefined ? undefined : (chosen?.editor.name ?? 'one call')}
      onClear={() => onChange(undefined)}
      picker={(trigger) => (
        <Picker
          label="Added by"
          align="end"
          options={calls.map(({ at, editor, source, added }) => ({
            id: String(at),
            label: `${editor.name}, ${sourceWords(source)}`,
            detail: (
              <>
                {countOf(added, 'key')}, <ShortTime at={at} />
              </>
            ),
          }))}
          selected={value === undefined ? '' : String(value)}
          isCut={(data?.totalCount ?? 0) > offered}
          onChoose={(at) => onChange(Number(at) === value ? undefined : Number(at))}
          trigger={trigger}
        />
      )}
    />
  );
}
