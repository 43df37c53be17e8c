import type { Environment } from '../../server/project.ts';

/** More columns than this are unreadable. */
export const maxColumns = 5;

/** The requested environments, or else all; if too many, production and the first of the others. */
export function shownEnvironments(all: readonly Environment[], asked: readonly string[] | undefined): Environment[] {
  if (asked) return all.filter(({ name }) => asked.includes(name));
  const production = all.filter((environment) => environment.production).slice(0, maxColumns);
  const others = all.filter((environment) => !environment.production).slice(0, maxColumns - production.length);
  return all.filter((environment) => production.includes(environment) || others.includes(environment));
}
