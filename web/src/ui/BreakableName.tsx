import { Fragment } from 'react';

/** An identifier. Long ones break after underscores, dots and dashes first. */
export const BreakableName = ({ name }: { readonly name: string }) =>
  [...name.matchAll(/[^_.-]*[_.-]*/g)].map(({ 0: part, index: at }) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
