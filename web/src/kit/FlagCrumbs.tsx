import { useFlag } from '../server/flag.ts';
import { useProject } from '../server/project.ts';
import { CrumbLink } from '../ui/Page.tsx';

/** From the project to the flag, above a page that is about the flag as a whole. */
export function FlagCrumbs() {
  const params = { project: useProject().name, flag: useFlag().name };
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
    </>
  );
}
