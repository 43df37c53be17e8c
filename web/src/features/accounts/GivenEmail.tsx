import { Field } from '../../ui/Field.tsx';

/** The account a link sets the password for: read-only, visible to people and password managers. */
export const GivenEmail = ({ email }: { readonly email: string }) => (
  <Field name="email" label="Email" type="email" autoComplete="username" value={email} readOnly />
);
