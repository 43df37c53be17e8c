/** The declared attributes of a traffic type, to suggest their names and values. At most 1,000. */
import { useQuery } from '@tanstack/react-query';
import { listAttributes } from '#contract/attributes.ts';
import { listIdentities } from '#contract/identities.ts';
import type { AttributeReply } from '#domain/attributes.ts';
import { reading } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';
import type { Option } from '../ui/OptionList.tsx';
import { useRulePlace } from './rule-place.ts';

const maxIdentities = 50;
const none: readonly AttributeReply[] = [];

/** `trafficType`: its name or id. Empty while loading. */
export function useAttributes(trafficType: string): readonly AttributeReply[] {
  const project = useProject();
  const { data } = useQuery({
    ...reading(listAttributes, { params: { project: project.id, trafficType } }),
    staleTime: 60_000,
  });
  return Array.isArray(data) ? data : none;
}

export const dataTypeWords = { STRING: 'Text', NUMBER: 'Number', DATETIME: 'Date', SET: 'List' } as const;

/** Declared attributes first, then those that are only used. */
export const attributeOptions = (declared: readonly AttributeReply[], used: readonly string[]): Option[] => [
  ...declared.map(({ id, displayName, dataType }) => ({
    id,
    label: id,
    detail: [displayName === id ? '' : displayName, dataType ? dataTypeWords[dataType] : '']
      .filter(Boolean)
      .join(' · '),
  })),
  ...used.filter((name) => !declared.some(({ id }) => id === name)).map((name) => ({ id: name, label: name })),
];

/** The values that were declared, and those of the first identities; without an attribute, their keys. */
export function useValuesOf(declared: readonly AttributeReply[], attribute: string | undefined): readonly string[] {
  const { environment, trafficTypeId } = useRulePlace();
  const may = useMay();
  const { data } = useQuery({
    ...reading(listIdentities, {
      params: { trafficType: trafficTypeId, environment: environment.id },
      query: { limit: maxIdentities },
    }),
    enabled: may(listIdentities),
    staleTime: 60_000,
  });
  const known = data?.data ?? [];
  const seen =
    attribute === undefined ? known.map(({ key }) => key) : known.flatMap(({ values }) => values[attribute] ?? []);
  return [...new Set([...valuesOf(declared, attribute), ...seen])];
}

export const valuesOf = (declared: readonly AttributeReply[], attribute: string | undefined): readonly string[] =>
  declared.find(({ id }) => id === attribute)?.suggestedValues ?? [];

export const asOptions = (values: readonly string[]): Option[] => values.map((value) => ({ id: value, label: value }));
