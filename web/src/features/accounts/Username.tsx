/** Hidden: tells password managers which account a form is about. */
export const Username = ({ email }: { readonly email: string }) => (
  <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
);
