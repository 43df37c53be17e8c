import { patchDefinition } from '#contract/definitions.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { urlOf } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { toast } from '../../../state/toasts.ts';
import { curlOf } from '../../../targeting/curl.ts';
import { Button } from '../../../ui/Button.tsx';
import { copyText } from '../../../ui/copy-text.ts';
import { Menu, MenuItem } from '../../../ui/Menu.tsx';
import type { Editing } from '../editing/use-editing.ts';
import { inOneOrder } from './member-order.ts';

interface Props {
  readonly editing: Editing;
  readonly environment: Environment;
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** Copies the definition, or the request that saving would send. */
export function JsonCopies({ editing: { targeting, savedTargeting, saved, draft }, environment }: Props) {
  const project = useProject();
  const flag = useFlag();
  const params = { project: project.id, flag: flag.name, environment: environment.id };
  const patch = targeting && savedTargeting && diffTargeting(savedTargeting, targeting);
  const copy = (text: string, what: string) => void copyText(text).then(() => toast(`Copied ${what}.`));
  const refusal = draft && patch ? undefined : 'Nothing to save.';
  return (
    <Menu
      label="Copy as"
      trigger={(trigger) => (
        <Button size="small" {...trigger}>
          Copy as
        </Button>
      )}
    >
      <MenuItem onSelect={() => copy(pretty(inOneOrder(targeting)), 'the definition')}>Definition</MenuItem>
      <MenuItem refusal={refusal} onSelect={() => copy(pretty(patch), 'the JSON patch')}>
        JSON patch
      </MenuItem>
      <MenuItem
        refusal={refusal}
        onSelect={() =>
          copy(
            curlOf({ method: 'PATCH', path: urlOf(patchDefinition, { params }), body: patch, etag: saved?.etag }),
            'the curl command',
          )
        }
      >
        curl
      </MenuItem>
    </Menu>
  );
}
