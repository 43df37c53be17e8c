/**
 * Measures things against each other on a machine that does other work, too: in rounds, each thing once in each round,
 * so that what disturbs one disturbs its neighbours. Only numbers of the same round are compared.
 */

export interface Subject<Sample> {
  readonly name: string;
  measure(): Promise<Sample>;
}

/** The samples of a subject, one for each round, in order. */
export type Samples<Sample> = (subject: string) => readonly Sample[];

export interface Rounds {
  readonly count: number;
  /** What is measured is told before it is measured. */
  tell(round: number, subject: string): void;
}

export async function measureInRounds<Sample>(
  subjects: readonly Subject<Sample>[],
  { count, tell }: Rounds,
): Promise<Samples<Sample>> {
  const samples = new Map<string, Sample[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round += 1) {
    // Another one is the first each time: nobody always comes after the same neighbour's leftovers.
    const first = round % subjects.length;
    for (const { name, measure } of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      tell(round, name);
      samples.get(name)?.push(await measure());
    }
  }
  return (subject) => {
    const found = samples.get(subject);
    if (!found) throw new Error(`${subject} was not measured`);
    return found;
  };
}
