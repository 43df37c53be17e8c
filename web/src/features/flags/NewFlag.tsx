import { createFlag } from '#contract/flags.ts';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { Button } from '../../ui/Button.tsx';
import { PrimaryButtonLink } from '../../ui/TextLink.tsx';

/** Opens the dialog, or says why not. */
export function NewFlag() {
  const { name } = useProject();
  const refusal = useWhyNot()(createFlag);
  if (refusal !== undefined) {
    return (
      <Button look="primary" refusal={refusal}>
        New flag
      </Button>
    );
  }
  return (
    <PrimaryButtonLink to="/p/$project/flags/new" params={{ project: name }} search={true}>
      New flag
    </PrimaryButtonLink>
  );
}
