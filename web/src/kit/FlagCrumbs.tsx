import { useFlag } from '../server/flag.ts';
import { useProject } from '../server/project.ts';
import { CrumbLink } from '../ui/Page.tsx';

/** The path to a page of the flag, or of its definition in one environment. */
export function FlagCrumbs({ environment = '' }: { readonly environment?: string }) {
  const params = { project: useProject().name, flag: useFlag().name, environment };
  return (
    <>
      <CrumbLink to="/p/$project/flags" params={params}>
        {params.project}
      </CrumbLink>
      <CrumbLink to="/p/$project/flags" params={params}>
        Flags
      </CrumbLink>
      <CrumbLink to="/p/$project/flags/$flag" params={params}>
        {params.flag}
      </CrumbLink>
      {environment !== '' && (
        <CrumbLink to="/p/$project/flags/$flag/$environment" params={params}>
          {environment}
        </CrumbLink>
      )}
    </>
  );
}
