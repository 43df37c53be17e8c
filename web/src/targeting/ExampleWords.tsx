import type { Example } from '#domain/evaluation/findings.ts';

/** A context that shows a finding, and what it gets. */
export function ExampleWords({ example }: { readonly example: Example }) {
  return (
    <>
      Example: <code>{contextText(example)}</code>
      {example.treatment !== undefined && (
        <>
          {' '}
          gets <code>{example.treatment}</code>
        </>
      )}
      .
    </>
  );
}

/** The key, then what is known of it. */
const contextText = ({ key, attributes, segments }: Example): string =>
  [
    key,
    ...Object.entries(attributes).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    ...segments.map((segment) => `in ${segment}`),
  ].join(', ');
