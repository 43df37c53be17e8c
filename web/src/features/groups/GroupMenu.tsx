import { Ellipsis, Pencil, Trash } from 'lucide-react';
import { useState } from 'react';
import type { GroupAnswer } from '../../administration/whole-lists.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/Menu.tsx';
import { DeleteGroupDialog } from './DeleteGroupDialog.tsx';
import { EditGroupDialog } from './EditGroupDialog.tsx';
import { isProtected } from './groups-changes.ts';

export function GroupMenu({ group }: { readonly group: GroupAnswer }) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        label={`More about ${group.name}`}
        trigger={(trigger) => (
          <Button look="quiet" size="icon" aria-label={`More about ${group.name}`} {...trigger}>
            <Ellipsis size={15} aria-hidden />
          </Button>
        )}
      >
        <MenuItem icon={Pencil} onSelect={() => setOpen('edit')}>
          Edit name and description
        </MenuItem>
        <MenuLine />
        <MenuItem
          icon={Trash}
          look="danger"
          refusal={isProtected(group) ? 'You cannot delete this group: it holds the administrators.' : undefined}
          onSelect={() => setOpen('delete')}
        >
          Delete
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditGroupDialog group={group} onClose={close} />}
      {open === 'delete' && <DeleteGroupDialog group={group} onClose={close} />}
    </>
  );
}
