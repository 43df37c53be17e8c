import { useState } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import type { ListedFlag } from '#domain/expansions.ts';
import { useMay } from '../../session.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Start } from './progress.ts';
import styles from './ReadTheFlag.module.css';
import { Step } from './Step.tsx';
import { languages, snippetOf } from './snippets.ts';

interface Props {
  readonly start: Start;
  readonly flag: ListedFlag | undefined;
  readonly lastUse: { readonly name: string; readonly at: number } | undefined;
}

/** Lines to paste that carry the real address and the real ids; the key is a variable, never the key itself. */
export function ReadTheFlag({ start: { project, environment }, flag, lastUse }: Props) {
  const may = useMay();
  const [language, setLanguage] = useState<(typeof languages)[number]>('curl');
  const place = { project: project.id, flag: flag?.name ?? 'my_first_flag', environment: environment?.id ?? '' };
  return (
    <Step
      title="Read the flag"
      about="Put the key into the variable BURGEE_KEY and run:"
      done={lastUse && 'Done'}
      below={
        <>
          <Tabs
            label="Language"
            tabs={languages.map((id) => ({ id, label: id }))}
            selected={language}
            onSelect={setLanguage}
            controls="snippet"
          />
          <div id="snippet" role="tabpanel" aria-label={language}>
            <CodeBlock text={snippetOf(language, place)} what={`the lines for ${language}`} />
          </div>
          {may(listApiKeys) && (
            <p className={styles.seen} role="status">
              {lastUse ? (
                <>
                  Seen <Time at={lastUse.at} /> from key “{lastUse.name}”
                </>
              ) : (
                'Waiting for the first call …'
              )}
            </p>
          )}
        </>
      }
    />
  );
}
