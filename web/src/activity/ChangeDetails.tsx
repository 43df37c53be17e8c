import { useState } from 'react';
import type { Change } from '#domain/changes.ts';
import { type Definition, orderOf, recordedTargeting } from '#domain/definitions/definition.ts';
import { differencesIn } from '../targeting/change-words.ts';
import { DifferenceBox } from '../targeting/DifferenceBox.tsx';
import { JsonDiff } from '../ui/JsonDiff.tsx';
import { Tabs } from '../ui/Tabs.tsx';

type Face = 'picture' | 'json';
const faces = [
  { id: 'picture', label: 'Change' },
  { id: 'json', label: 'JSON' },
] as const;

/** Everything an entry changed: drawn for definitions, line by line otherwise. */
export function ChangeDetails({ change }: { readonly change: Change }) {
  const hasPicture = differencesIn(change).length > 0;
  const [face, setFace] = useState<Face>(hasPicture ? 'picture' : 'json');
  return (
    <>
      {hasPicture && <Tabs label="Details" tabs={faces} selected={face} onSelect={setFace} />}
      {face === 'picture' ? (
        <Pictures change={change} />
      ) : (
        <JsonDiff before={change.before} after={change.after} label="Difference as JSON" />
      )}
    </>
  );
}

function Pictures({ change }: { readonly change: Change }) {
  const [before, after] = [change.before as Definition, change.after as Definition];
  const order = orderOf(recordedTargeting(before), recordedTargeting(after));
  return differencesIn(change).map((difference) => (
    <DifferenceBox
      key={JSON.stringify(difference)}
      difference={difference}
      order={order}
      trafficType={after.trafficType.name}
      isPast
    />
  ));
}
