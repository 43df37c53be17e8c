/** Where the keys to add or remove come from: typed text, a file or another environment. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Environment } from '../../server/project.ts';
import { allKeysReading } from './all-keys.ts';
import { type Columns, columnsOf, type ReadKeys, readFile, readPasted } from './key-text.ts';

export type SourceKind = 'paste' | 'file' | 'copy';

interface ChosenFile {
  readonly file: File;
  readonly text: string;
  readonly columns: Columns;
  readonly column: number;
}

/** More would be far beyond the limit of a standard segment. */
const maxFileBytes = 30_000_000;
const nothing: ReadKeys = { keys: [], repeated: 0, invalid: [] };

export function useKeySource(segment: string, first: SourceKind) {
  const [kind, setKind] = useState<SourceKind>(first);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ChosenFile>();
  const [from, setFrom] = useState<Environment>();
  const [refusal, setRefusal] = useState<string>();
  const copied = useQuery({
    ...allKeysReading({ environment: from?.id ?? '', segment }),
    enabled: kind === 'copy' && from !== undefined,
  });
  const read = useMemo((): ReadKeys => {
    if (kind === 'paste') return readPasted(text);
    if (kind === 'copy') return { ...nothing, keys: copied.data ?? [] };
    return chosen ? readFile(chosen.text, { ...chosen.columns, column: chosen.column }) : nothing;
  }, [kind, text, chosen, copied.data]);
  const choose = async (file: File) => {
    setKind('file');
    setChosen(undefined);
    if (file.size > maxFileBytes) return setRefusal('The file is larger than 30 MB. Use a large segment.');
    setRefusal(undefined);
    const content = await file.text();
    setChosen({ file, text: content, columns: columnsOf(content), column: 0 });
  };
  return {
    kind,
    setKind,
    text,
    setText,
    chosen,
    /** Chooses a file, whatever the source was. */
    choose,
    /** Reads the chosen file differently. */
    reread: (change: Partial<Pick<ChosenFile, 'columns' | 'column'>>) =>
      setChosen((before) => before && { ...before, ...change }),
    from,
    setFrom,
    copied,
    /** Why the file cannot be read. */
    refusal,
    read,
    /** Recorded with the keys; undefined if they were typed. */
    sourceName: kind === 'file' ? chosen?.file.name : kind === 'copy' && from ? `copy of ${from.name}` : undefined,
  };
}

export type KeySource = ReturnType<typeof useKeySource>;
