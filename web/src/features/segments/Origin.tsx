import type { Change } from '#domain/changes.ts';
import type { ListedKey } from '#domain/segments.ts';
import { EditorName } from '../../kit/EditorName.tsx';

/** "by Ana Ruiz, by hand", "by importer, keys.csv". */
export const Origin = ({ entry: { addedBy, source } }: { readonly entry: ListedKey }) => (
  <>
    {addedBy && (
      <>
        by <EditorName editor={addedBy as Change['editor']} />
      </>
    )}
    {source !== undefined && `, ${sourceWords(source)}`}
  </>
);

export const sourceWords = (source: string): string => ({ api: 'API', hand: 'by hand' })[source] ?? source;
