import { useQuery } from '@tanstack/react-query';
import { listGroups } from '#contract/groups.ts';
import { listUsers } from '#contract/users.ts';
import { useMay } from '../server/session.ts';
import { everyoneReading, groupsReading } from './whole-lists.ts';

/** Looks up names of users and groups by id. Undefined while they load, and for deleted ones. */
export function useOwnerNames(): (id: string) => string | undefined {
  const may = useMay();
  const { data: everyone } = useQuery({ ...everyoneReading, enabled: may(listUsers), staleTime: 60_000 });
  const { data: groups } = useQuery({ ...groupsReading, enabled: may(listGroups), staleTime: 60_000 });
  return (id) =>
    everyone?.people.find((user) => user.id === id)?.name ?? groups?.find((group) => group.id === id)?.name;
}
