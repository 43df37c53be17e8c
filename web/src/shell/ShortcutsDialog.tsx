import { singleKeys, useAllPageActions } from '../state/page-actions.ts';
import { Button } from '../ui/Button.tsx';
import { KeyHint } from '../ui/KeyHint.tsx';
import { Modal, ModalBody, ModalFoot } from '../ui/Modal.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import styles from './ShortcutsDialog.module.css';

/** Lists the shortcuts of the page. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const actions = useAllPageActions();
  return (
    <Modal title="Shortcuts on this page" size="narrow" onClose={onClose}>
      <ModalBody>
        <dl className={styles.list}>
          {actions.map(({ label, keys }) =>
            keys === undefined ? null : (
              <div key={keys} className={styles.row}>
                <dt>{label}</dt>
                <dd>
                  <KeyHint keys={keys} />
                </dd>
              </div>
            ),
          )}
        </dl>
        {!singleKeys.areOn() && <p className={styles.off}>Single-key shortcuts are off.</p>}
      </ModalBody>
      <ModalFoot
        aside={
          <TextLink to="/me" onClick={onClose}>
            Turn single-key shortcuts {singleKeys.areOn() ? 'off' : 'on'}
          </TextLink>
        }
      >
        <Button onClick={onClose}>Close</Button>
      </ModalFoot>
    </Modal>
  );
}
