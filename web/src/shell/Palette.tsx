import { useRouter } from '@tanstack/react-router';
import { Modal } from '../ui/Modal.tsx';
import { OptionList } from '../ui/OptionList.tsx';
import styles from './Palette.module.css';
import { usePaletteEntries } from './palette-entries.tsx';

/** Finds pages, people, actions, and the flags of all projects by part of their name. Destructive actions open their dialog first. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const router = useRouter();
  const { entries, search, isSearching } = usePaletteEntries();
  return (
    <Modal title="Search or jump to" size="palette" onClose={onClose}>
      <div className={styles.palette}>
        <OptionList
          face="palette"
          label="Search or jump to"
          placeholder="Search, or a flag and what to do: checkout kill"
          options={entries}
          onSearch={search}
          onChoose={({ id }) => {
            const entry = entries.find((one) => one.id === id);
            onClose();
            if (entry && 'to' in entry) router.history.push(entry.to);
            else entry?.run();
          }}
          empty={isSearching ? 'Searching…' : 'No matches in any project. You can search for any part of a name.'}
        />
      </div>
    </Modal>
  );
}
