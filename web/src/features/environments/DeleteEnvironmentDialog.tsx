import { Check, CircleDashed } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { deleteDefinition } from '#contract/definitions.ts';
import { deleteEnvironment } from '#contract/environments.ts';
import { countOf, listed } from '../../administration/count.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { Modal, ModalBody, ModalFoot } from '../../ui/Modal.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './DeleteEnvironmentDialog.module.css';
import { EmptyEnvironmentDialog } from './EmptyEnvironmentDialog.tsx';
import {
  namedDefinitions,
  useArchivedIn,
  useDefinitionsIn,
  useKeysOf,
  useRefreshEverything,
} from './environment-changes.ts';

interface Props {
  readonly environment: Environment;
  readonly onClose: () => void;
}

/** Deletes an unused environment, or says what to remove first. */
export function DeleteEnvironmentDialog({ environment, onClose }: Props) {
  const definitions = useDefinitionsIn(environment).data;
  const keys = useKeysOf(environment);
  const [isEmptying, setEmptying] = useState(false);
  const archived = useArchivedIn(environment);
  const isInUse = (definitions?.totalCount ?? 0) > 0 || (keys?.length ?? 0) > 0 || archived > 0;
  if (isEmptying) {
    const total = definitions?.totalCount ?? 0;
    return <EmptyEnvironmentDialog environment={environment} total={total} onClose={() => setEmptying(false)} />;
  }
  return isInUse ? (
    <InUse environment={environment} onClose={onClose} onEmpty={() => setEmptying(true)} />
  ) : (
    <Ask environment={environment} onClose={onClose} />
  );
}

function InUse({ environment, onClose, onEmpty }: Props & { readonly onEmpty: () => void }) {
  const project = useProject();
  const definitions = useDefinitionsIn(environment).data;
  const keys = useKeysOf(environment) ?? [];
  const archived = useArchivedIn(environment);
  const may = useMay();
  const total = definitions?.totalCount ?? 0;
  return (
    <Modal
      title={`${environment.name} is in use`}
      about="You can delete an environment once nothing uses it. Remove these first:"
      size="narrow"
      onClose={onClose}
    >
      <ModalBody>
        <ul className={styles.obstacles}>
          <Obstacle isThere={total > 0} title={countOf(total, 'flag is defined here', 'flags are defined here')}>
            {definitions?.objects.map(({ id, name }, index) => (
              <Fragment key={id}>
                {index > 0 && ', '}
                <TextLink
                  to="/p/$project/flags/$flag/$environment"
                  params={{ project: project.name, flag: name, environment: environment.name }}
                >
                  <span className="mono">{name}</span>
                </TextLink>
              </Fragment>
            ))}
            {total > namedDefinitions ? ` and ${total - namedDefinitions} more. ` : '. '}
            {may(deleteDefinition) && (
              <Button look="link" onClick={onEmpty}>
                {total === 1 ? 'Remove the definition' : 'Remove the definitions'}
              </Button>
            )}
          </Obstacle>
          {archived > 0 && (
            <Obstacle
              isThere
              title={countOf(archived, 'archived flag is defined here', 'archived flags are defined here')}
            >
              Archived flags keep their definitions.{' '}
              <TextLink to="/p/$project/archived" params={{ project: project.name }}>
                Unarchive or delete them
              </TextLink>
            </Obstacle>
          )}
          <Obstacle isThere={keys.length > 0} title={countOf(keys.length, 'API key is for it', 'API keys are for it')}>
            {listed(keys.map(({ name }) => name))}.{' '}
            <TextLink to="/admin/api-keys" search={{ project: project.name, env: environment.name }}>
              Revoke them
            </TextLink>
          </Obstacle>
        </ul>
      </ModalBody>
      <ModalFoot>
        <Button onClick={onClose}>Close</Button>
      </ModalFoot>
    </Modal>
  );
}

interface ObstacleProps {
  readonly isThere: boolean;
  /** "2 API keys are for it". */
  readonly title: string;
  /** Details and a link to remove them. Hidden when there are none. */
  readonly children: ReactNode;
}

/** Something that prevents the deletion, or no longer does. */
const Obstacle = ({ isThere, title, children }: ObstacleProps) => (
  <li className={isThere ? styles.there : styles.gone}>
    {isThere ? <CircleDashed size={16} aria-hidden /> : <Check size={16} aria-hidden />}
    <div>
      <p className={styles.title}>{title}</p>
      {isThere && <p className={styles.about}>{children}</p>}
    </div>
  </li>
);

function Ask({ environment, onClose }: Props) {
  const project = useProject();
  const refresh = useRefreshEverything();
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => call(deleteEnvironment, { params: { project: project.id, environment: environment.id } }),
    onDone: () => {
      onClose();
      toast(`Deleted ${environment.name}.`);
      return refresh().then(focusWhenLost);
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Delete ${environment.name}?`}
      about="No flag is defined in it and no API key is for it. Its activity is kept."
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Delete environment"
      look="danger-fill"
      onClose={onClose}
    />
  );
}
