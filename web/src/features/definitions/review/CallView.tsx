import { createDefinition, patchDefinition } from '#contract/definitions.ts';
import { diffTargeting } from '#domain/definitions/patch.ts';
import { urlOf } from '../../../server/api.ts';
import type { Draft } from '../../../state/drafts.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import styles from './CallView.module.css';
import { curlOf } from './curl.ts';
import { useDefinitionParams } from './save.ts';

/** The request that saving sends, as JSON and as a curl command. */
export function CallView({ draft }: { readonly draft: Draft }) {
  const params = useDefinitionParams();
  const endpoint = draft.base ? patchDefinition : createDefinition;
  const body = draft.base ? diffTargeting(draft.base, draft.targeting) : draft.targeting;
  const json = JSON.stringify(body, null, 2);
  const curl = curlOf({ method: endpoint.method, path: urlOf(endpoint, { params }), body, etag: draft.etag });
  return (
    <div className={styles.views}>
      <Code what={draft.base ? 'JSON patch' : 'JSON'} text={json} />
      <Code what="curl" text={curl} />
    </div>
  );
}

const Code = ({ what, text }: { readonly what: string; readonly text: string }) => (
  <figure className={styles.code}>
    <figcaption>
      {what} <CopyButton text={text} what={what} face="icon" />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
    <pre tabIndex={0}>{text}</pre>
  </figure>
);
