/** "checkout kill": a name, what to do with it, and where. Pure, so that it can be tested without a browser. */
import { distance, parseWords, typosOf } from '#domain/search.ts';
import { flagPath } from '../state/paths.ts';

interface Action {
  /** What people type: any start of it, of two letters or more. */
  readonly words: readonly string[];
  readonly label: string;
  /** Below the address of the flag in an environment, of the flag, or of the project. */
  readonly path: string;
}

const inEnvironment: readonly Action[] = [
  { words: ['kill'], label: 'Kill', path: '?kill=' },
  { words: ['restore'], label: 'Restore', path: '?restore=' },
  { words: ['json'], label: 'JSON', path: '/json' },
  { words: ['targeting', 'edit', 'rules'], label: 'Targeting', path: '' },
];
const ofFlag: readonly Action[] = [
  { words: ['compare'], label: 'Compare', path: '/compare' },
  { words: ['history', 'activity'], label: 'History', path: '/activity' },
  { words: ['details', 'tags', 'owner'], label: 'Details', path: '/details' },
  { words: ['archive'], label: 'Archive', path: '/details?archive=' },
];
const ofProject: readonly Action[] = [
  { words: ['segments'], label: 'Segments', path: '/segments' },
  { words: ['activity', 'history'], label: 'Activity', path: '/activity' },
  { words: ['changesets', 'approvals'], label: 'Changesets', path: '/changesets' },
  { words: ['drift'], label: 'Drift', path: '/drift' },
  { words: ['environments'], label: 'Environments', path: '/environments' },
  { words: ['settings'], label: 'Settings', path: '/settings' },
  { words: ['access', 'rights'], label: 'Access', path: '/settings/access' },
  { words: ['attributes'], label: 'Attributes', path: '/settings/attributes' },
  { words: ['archived'], label: 'Archived flags', path: '/flags/archived' },
];

export interface Asked {
  /** What to search for. */
  readonly name: string;
  /** The word that may name an action; undefined if none does. */
  readonly action: string | undefined;
  /** Which environment the action is meant for. */
  readonly where: string;
}

/** The first word is never an action, so that flags called `kill_switch` are found. */
export function parseAsked(text: string): Asked {
  const words = parseWords(text);
  const at = words.findIndex((word, index) => index > 0 && [inEnvironment, ofFlag, ofProject].some(anyNamed(word)));
  if (at < 0) return { name: words.join(' '), action: undefined, where: '' };
  return { name: words.slice(0, at).join(' '), action: words[at], where: words.slice(at + 1).join(' ') };
}

const anyNamed = (word: string) => (actions: readonly Action[]) => actions.some(isNamed(word));
const isNamed = (word: string) => (action: Action) =>
  word.length > 1 && action.words.some((one) => one.startsWith(word.toLowerCase()));

export interface Step {
  readonly label: string;
  readonly to: string;
}

/** Actions on the flag; in the environments that the text names, those for production first. */
export function flagSteps(
  { action = '', where }: Asked,
  { flag, project }: { flag: string; project: string },
  environments: readonly { readonly name: string; readonly production: boolean }[],
): Step[] {
  const places = environments.filter(({ name }) => contains(name, where));
  const inOrder = [...places.filter(({ production }) => production), ...places.filter(({ production }) => !production)];
  return [
    ...inEnvironment
      .filter(isNamed(action))
      .flatMap(({ label, path }) =>
        inOrder.map(({ name }) => ({ label: `${label} in ${name}`, to: flagPath(project, flag, name) + path })),
      ),
    ...ofFlag.filter(isNamed(action)).map(({ label, path }) => ({ label, to: flagPath(project, flag) + path })),
  ];
}

export const projectSteps = ({ action = '' }: Asked, project: string): Step[] =>
  ofProject
    .filter(isNamed(action))
    .map(({ label, path }) => ({ label, to: `/p/${encodeURIComponent(project)}${path}` }));

/** Every word is in the text. */
export const contains = (text: string, asked: string): boolean =>
  parseWords(asked).every((word) => text.toLowerCase().includes(word.toLowerCase()));

/** First those in which every word asked for begins a word: "set" means settings rather than changesets. */
export function bestFirst<Labelled extends { readonly label: string }>(
  found: readonly Labelled[],
  asked: string,
): Labelled[] {
  const words = parseWords(asked).map((word) => ` ${word.toLowerCase()}`);
  const isGood = ({ label }: Labelled) => words.every((word) => ` ${label.toLowerCase()}`.includes(word));
  return [...found.filter(isGood), ...found.filter((one) => !isGood(one))];
}

/** Every word is almost in the text. */
export const resembles = (text: string, asked: string): boolean =>
  parseWords(asked).every((word) => distance(word.toLowerCase(), text.toLowerCase()) <= typosOf(word));
