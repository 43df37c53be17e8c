import type { UserAnswer } from '../../administration/whole-lists.ts';
import { DeactivateDialog } from './DeactivateDialog.tsx';
import { EditUserDialog } from './EditUserDialog.tsx';
import { SecondFactorDialog } from './SecondFactorDialog.tsx';
import { UserGroupsDialog } from './UserGroupsDialog.tsx';
import { WithdrawDialog } from './WithdrawDialog.tsx';

const dialogs = {
  edit: EditUserDialog,
  groups: UserGroupsDialog,
  deactivate: DeactivateDialog,
  withdraw: WithdrawDialog,
  'second factor': SecondFactorDialog,
};

export type UserDialogName = keyof typeof dialogs;

export interface UserDialogProps {
  readonly user: UserAnswer;
  readonly onClose: () => void;
}

/** The open dialog about a user. */
export function UserDialog({ name, ...props }: UserDialogProps & { readonly name: UserDialogName }) {
  const Dialog = dialogs[name];
  return <Dialog {...props} />;
}
