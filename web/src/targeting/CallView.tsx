import type { Endpoint } from '#contract/endpoint.ts';
import { urlOf } from '../server/api.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import styles from './CallView.module.css';
import { curlOf } from './curl.ts';

interface Props {
  /** What the body is: "JSON patch". */
  readonly what: string;
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly etag: string | null;
}

/** The request that saving sends, as JSON and as a curl command. */
export const CallView = ({ what, endpoint, params, body, etag }: Props) => (
  <div className={styles.views}>
    <Code what={what} text={JSON.stringify(body, null, 2)} />
    <Code what="curl" text={curlOf({ method: endpoint.method, path: urlOf(endpoint, { params }), body, etag })} />
  </div>
);

const Code = ({ what, text }: { readonly what: string; readonly text: string }) => (
  <figure className={styles.code}>
    <figcaption>
      {what} <CopyButton text={text} what={what} face="icon" />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
    <pre tabIndex={0}>{text}</pre>
  </figure>
);
