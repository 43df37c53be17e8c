import { useState } from 'react';
import type { Change } from '#domain/changes.ts';
import { type Definition, orderOf, recordedTargeting } from '#domain/definitions/definition.ts';
import { useOwnerNames } from '../administration/owner-names.ts';
import { differencesIn } from '../targeting/change-words.ts';
import { DifferenceBox } from '../targeting/DifferenceBox.tsx';
import { WholeDefinition } from '../targeting/WholeDefinition.tsx';
import { JsonDiff } from '../ui/JsonDiff.tsx';
import { Tabs } from '../ui/Tabs.tsx';
import { FieldTable } from './FieldTable.tsx';

type Face = 'picture' | 'json';
const faces = [
  { id: 'picture', label: 'Change' },
  { id: 'json', label: 'JSON' },
] as const;

/** Everything an entry changed: drawn for definitions, field by field otherwise, and as JSON. */
export function ChangeDetails({ change }: { readonly change: Change }) {
  const [face, setFace] = useState<Face>('picture');
  return (
    <>
      <Tabs label="Details" tabs={faces} selected={face} onSelect={setFace} />
      {face === 'picture' ? (
        <Picture change={change} />
      ) : (
        <JsonDiff before={change.before} after={change.after} label="Difference as JSON" />
      )}
    </>
  );
}

function Picture({ change }: { readonly change: Change }) {
  const nameOf = useOwnerNames();
  if (differencesIn(change).length > 0) return <Differences change={change} />;
  const { object, before, after } = change;
  if (object.type === 'definition' && before === undefined && after !== undefined) {
    const targeting = recordedTargeting(after);
    const trafficType = (after as Definition).trafficType.name;
    return <WholeDefinition targeting={targeting} order={orderOf(targeting)} trafficType={trafficType} />;
  }
  return <FieldTable before={before} after={after} nameOf={nameOf} />;
}

function Differences({ change }: { readonly change: Change }) {
  const [before, after] = [change.before as Definition, change.after as Definition];
  const order = orderOf(recordedTargeting(before), recordedTargeting(after));
  return differencesIn(change).map((difference) => (
    <DifferenceBox
      key={JSON.stringify(difference)}
      difference={difference}
      order={order}
      trafficType={after.trafficType.name}
      when="past"
    />
  ));
}
