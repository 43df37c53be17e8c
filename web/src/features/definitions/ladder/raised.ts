/** Which treatment a rollout raises, and the shares that show it. */
import type { Bucket } from '#domain/definitions/definition.ts';

interface Treatments {
  /** The flag's, in its order. */
  readonly treatments: readonly string[];
  readonly defaultTreatment: string;
}

/** The treatment that a rollout raises: the first that is not the default one, of the buckets or otherwise of all. */
export const raisedTreatment = (buckets: readonly Bucket[], { treatments, defaultTreatment }: Treatments) =>
  [...buckets.map(({ treatment }) => treatment), ...treatments].find((name) => name !== defaultTreatment);

/** With the treatment that a rollout raises and one to take its share from, at 0 and in the flag's order if missing. */
export function withRaised(buckets: readonly Bucket[], of: Treatments): Bucket[] {
  const insert = (to: readonly Bucket[], name: string) => {
    const at = to.findIndex(({ treatment }) => of.treatments.indexOf(treatment) > of.treatments.indexOf(name));
    return to.toSpliced(at < 0 ? to.length : at, 0, { treatment: name, size: 0 });
  };
  const raised = raisedTreatment(buckets, of);
  const isThere = raised === undefined || buckets.some(({ treatment }) => treatment === raised);
  const shown = isThere ? [...buckets] : insert(buckets, raised);
  return shown.length > 1 || raised === undefined ? shown : insert(shown, of.defaultTreatment);
}
