import { removeTreatment, usesOfTreatment } from '#domain/definitions/edit-treatments.ts';
import { Button } from '../../../ui/Button.tsx';
import { Modal, ModalBody, ModalFoot } from '../../../ui/Modal.tsx';
import { useDefinition } from '../editing/editor.ts';
import styles from './RemoveTreatmentDialog.module.css';

interface Props {
  readonly name: string;
  readonly onClose: () => void;
}

/** Says where a treatment is used before it is removed. */
export function RemoveTreatmentDialog({ name, onClose }: Props) {
  const { targeting, change } = useDefinition();
  const uses = usesOfTreatment(targeting, name);
  const remove = () => {
    change((before) => removeTreatment(before, name));
    onClose();
  };
  return (
    <Modal
      title={`Remove treatment ${name}?`}
      about="This changes only the draft until you save."
      kind="alert"
      size="narrow"
      onClose={onClose}
    >
      <ModalBody>
        {uses.length === 0 ? (
          <p>Nobody gets it.</p>
        ) : (
          <>
            <p>
              It is in use. Each share goes to the last treatment of its list, and its individual targets are removed.
            </p>
            <ul className={styles.uses}>
              {uses.map((use) => (
                <li key={use}>{use}</li>
              ))}
            </ul>
          </>
        )}
      </ModalBody>
      <ModalFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger-fill" onClick={remove}>
          Remove {name}
        </Button>
      </ModalFoot>
    </Modal>
  );
}
