import { Fragment } from 'react';

/** A name that programs read: where it is too long, it breaks behind its underscores, dots and dashes first. */
export const BreakableName = ({ name }: { readonly name: string }) =>
  [...name.matchAll(/[^_.-]*[_.-]*/g)].map(({ 0: part, index: at }) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
