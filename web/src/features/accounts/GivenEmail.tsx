import { Field } from '../../ui/Field.tsx';

/** Whose password a link sets: to be seen, by password managers too, but not to be changed. */
export const GivenEmail = ({ email }: { readonly email: string }) => (
  <Field name="email" label="Email" type="email" autoComplete="username" value={email} readOnly />
);
