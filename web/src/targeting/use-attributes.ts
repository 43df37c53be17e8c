/** The declared attributes of a traffic type, to suggest their names and values. At most 1,000. */
import { useQuery } from '@tanstack/react-query';
import { listAttributes } from '#contract/attributes.ts';
import type { AttributeReply } from '#domain/attributes.ts';
import { reading } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import type { Option } from '../ui/OptionList.tsx';

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

export const valuesOf = (declared: readonly AttributeReply[], attribute: string | undefined): readonly string[] =>
  declared.find(({ id }) => id === attribute)?.suggestedValues ?? [];

export const asOptions = (values: readonly string[]): Option[] => values.map((value) => ({ id: value, label: value }));
