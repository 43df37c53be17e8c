/**
 * Measures things against each other on a machine that does other work, too: in rounds, each thing once in each round,
 * so that what disturbs one disturbs its neighbours. Only numbers of the same round are compared.
 */

export interface Sample {
  readonly perSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly processorUs: number | undefined;
}

export interface Subject {
  readonly name: string;
  measure(): Promise<Sample>;
}

/** Name of the subject → its samples, one for each round, in order. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

export interface Rounds {
  readonly count: number;
  /** What is measured is told before it is measured. */
  tell(round: number, subject: string): void;
}

export async function measureInRounds(subjects: readonly Subject[], { count, tell }: Rounds): Promise<Samples> {
  const samples = new Map<string, Sample[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round += 1) {
    // Another one is the first each time: nobody always comes after the same neighbour's leftovers.
    const first = round % subjects.length;
    for (const { name, measure } of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      tell(round, name);
      samples.get(name)?.push(await measure());
    }
  }
  return samples;
}
