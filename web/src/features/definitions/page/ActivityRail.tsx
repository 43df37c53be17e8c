import { useQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import type { Change } from '#domain/changes.ts';
import { ActivityRail as Rail } from '../../../activity/ActivityRail.tsx';
import { countOf } from '../../../administration/count.ts';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import { changeSentence, differencesIn } from '../../../targeting/change-words.ts';
import { differenceLine } from '../../../targeting/difference-words.ts';
import { TextLink } from '../../../ui/TextLink.tsx';
import { useChangesReading } from '../editing/changes.ts';
import { useEditor } from '../editing/editor.ts';

/** Recent changes to the definition. */
export function ActivityRail() {
  const { environment, trafficType } = useEditor();
  const project = useProject();
  const flag = useFlag();
  const may = useMay();
  const changes = useQuery(useChangesReading(environment.id));
  if (!may(listChanges)) return null;
  const wordsOf = (change: Change) => {
    const [first, ...others] = differencesIn(change);
    const more = others.length > 0 ? `; ${countOf(others.length, 'more change')}` : '';
    const isTold = first && first.kind !== 'killed';
    return {
      what: changeSentence(change),
      details: isTold ? [`${differenceLine(first, trafficType)}${more}`] : [],
    };
  };
  return (
    <Rail
      query={changes}
      all={
        <TextLink to="/p/$project/flags/$flag/activity" params={{ project: project.name, flag: flag.name }}>
          View all
        </TextLink>
      }
      wordsOf={wordsOf}
    />
  );
}
