/** The people who can be seen, by their ids. */
import { useQuery } from '@tanstack/react-query';
import { listUsers } from '#contract/users.ts';
import { everyoneReading } from '../../administration/whole-lists.ts';
import { useMay } from '../../server/session.ts';

/** Tells the name of a user; undefined while it is not known, or when the person is gone. */
export function useNamesOfPeople(): (id: string) => string | undefined {
  const may = useMay();
  const { data } = useQuery({ ...everyoneReading, enabled: may(listUsers), staleTime: 60_000 });
  return (id) => data?.people.find((user) => user.id === id)?.name;
}
