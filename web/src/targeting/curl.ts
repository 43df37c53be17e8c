/** A request as a curl command. The key is a shell variable, so it is never shown. */
export interface CurlCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly etag?: string | null | undefined;
}

export const curlOf = ({ method, path, body, etag }: CurlCall): string =>
  [
    `curl -X ${method} '${location.origin}${path}'`,
    `-H "Authorization: Bearer $BURGEE_KEY"`,
    `-H 'Content-Type: application/json'`,
    ...(etag ? [`-H 'If-Match: ${etag}'`] : []),
    `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(' \\\n  ');
