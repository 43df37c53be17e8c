import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listGroups } from '#contract/groups.ts';
import { listUsers } from '#contract/users.ts';
import { useMay } from '../server/session.ts';
import { everyoneReading, groupsReading } from './whole-lists.ts';

/** Looks up names of users and groups by id. Undefined while they load, and for deleted ones. */
export function useOwnerNames(): (id: string) => string | undefined {
  const may = useMay();
  const { data: everyone } = useQuery({ ...everyoneReading, enabled: may(listUsers), staleTime: 60_000 });
  const { data: groups } = useQuery({ ...groupsReading, enabled: may(listGroups), staleTime: 60_000 });
  return useMemo(() => {
    const names = new Map([...(groups ?? []), ...(everyone?.people ?? [])].map(({ id, name }) => [id, name]));
    return (id) => names.get(id);
  }, [everyone, groups]);
}
