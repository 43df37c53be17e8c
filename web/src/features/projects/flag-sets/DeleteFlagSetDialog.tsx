import { useQuery } from '@tanstack/react-query';
import { patchDefinition } from '#contract/definitions.ts';
import { deleteFlagSet } from '#contract/flag-sets.ts';
import type { FlagSetReply } from '#domain/flag-sets.ts';
import { countOf, listed } from '../../../administration/count.ts';
import { RemoveModal } from '../../../administration/RemoveModal.tsx';
import { flagsInSetReading, useRefreshFlagSets } from '../../../kit/flag-sets.ts';
import { call } from '../../../server/api.ts';
import { useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';

interface Props {
  readonly flagSet: FlagSetReply;
  readonly onClose: () => void;
}

/** Deleting changes the definitions in the set, so say which, and whether the user may change them. */
export function DeleteFlagSetDialog({ flagSet: { id, name }, onClose }: Props) {
  const project = useProject();
  const whyNot = useWhyNot();
  const refresh = useRefreshFlagSets();
  const { data } = useQuery(flagsInSetReading(id));
  const environments = [
    ...new Map((data?.objects ?? []).map(({ environment }) => [environment.id, environment])).values(),
  ];
  const refusal = environments.map((one) => whyNot(patchDefinition, { environment: one.id })).find(Boolean);
  return (
    <RemoveModal
      title={`Delete ${name}?`}
      about={
        !data || data.totalCount === 0
          ? `No flag in ${project.name} is in it. You cannot undo this.`
          : `${countOf(data.totalCount, 'definition leaves', 'definitions leave')} it in the same change: ${listed([...new Set(data.objects.map(({ flag }) => flag.name))])}, in ${listed(environments.map((one) => one.name))}. You cannot undo this.`
      }
      refusal={refusal}
      submit="Delete flag set"
      send={() => call(deleteFlagSet, { params: { flagSet: id } })}
      done={`Deleted ${name}.`}
      refresh={refresh}
      onClose={onClose}
    />
  );
}
