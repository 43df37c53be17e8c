/** When a key stops working: chosen as a day, stored as the moment after it in the time zone of the browser. */
import { dayMs } from '#domain/durations.ts';
import type { FieldRule } from '../../kit/form.ts';
import { Chip } from '../../ui/Chip.tsx';
import { Field } from '../../ui/Field.tsx';
import { Expiry } from '../../ui/Time.tsx';

/** Undefined for no day. */
export function endOf(day: string): number | undefined {
  if (day === '') return undefined;
  const end = new Date(`${day}T00:00`);
  end.setDate(end.getDate() + 1);
  return end.getTime();
}

/** The last day on which the key works. */
export function lastDayOf(expiresAt: number | undefined): string {
  if (expiresAt === undefined) return '';
  const last = new Date(expiresAt - 1);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${last.getFullYear()}-${two(last.getMonth() + 1)}-${two(last.getDate())}`;
}

export const expiryRule: FieldRule = {
  check: (day) => ((endOf(day) ?? Number.POSITIVE_INFINITY) <= Date.now() ? 'Choose today or a later day.' : undefined),
};

interface FieldProps {
  readonly expiresAt?: number | undefined;
  readonly error: string | undefined;
}

export const ExpiryField = ({ expiresAt, error }: FieldProps) => (
  <Field
    name="lastDay"
    type="date"
    label="Last day"
    hint="The key stops working after it. Empty: it works until it is revoked."
    defaultValue={lastDayOf(expiresAt)}
    max="9998-12-31"
    error={error}
  />
);

/** Marked this long before. */
const soonMs = 14 * dayMs;

export function ExpiryNote({ expiresAt }: { readonly expiresAt: number }) {
  const left = expiresAt - Date.now();
  if (left > soonMs) return <Expiry at={expiresAt} />;
  return (
    <Chip kind={left > 0 ? 'warn' : 'danger'}>
      <span>
        <Expiry at={expiresAt} />
      </span>
    </Chip>
  );
}
