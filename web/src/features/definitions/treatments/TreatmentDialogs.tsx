import { RemoveTreatmentDialog } from './RemoveTreatmentDialog.tsx';
import { TreatmentDialog } from './TreatmentDialog.tsx';

export type AskedTreatment = { readonly what: 'edit' | 'remove'; readonly name: string } | { readonly what: 'add' };

interface Props {
  readonly asked: AskedTreatment;
  readonly onClose: () => void;
}

export function TreatmentDialogs({ asked, onClose }: Props) {
  if (asked.what === 'remove') return <RemoveTreatmentDialog name={asked.name} onClose={onClose} />;
  return <TreatmentDialog name={asked.what === 'edit' ? asked.name : undefined} onClose={onClose} />;
}
