/** Flows as bands between two bars, Now and After: where each band begins and ends, in percent from the top. */
import type { Flow } from '#domain/evaluation/effect-flows.ts';

export interface Band extends Flow {
  /** The position of its upper edge in the left bar, and in the right bar. */
  readonly left: number;
  readonly right: number;
}

export interface BarPart {
  readonly treatment: string;
  readonly top: number;
  readonly share: number;
}

export interface Bands {
  readonly before: readonly BarPart[];
  readonly after: readonly BarPart[];
  readonly bands: readonly Band[];
}

/**
 * Both bars list treatments in the same order, so that bands of keys that stay are straight where nothing above them
 * moves. Treatments without keys are left out.
 */
export function bandsOf(flows: readonly Flow[], order: readonly string[]): Bands {
  const names = [...new Set([...order, ...flows.flatMap(({ from, to }) => [from, to])])];
  const present = flows.filter(({ share }) => share > 0);
  const before = partsOf(names, (name) => present.filter(({ from }) => from === name));
  const after = partsOf(names, (name) => present.filter(({ to }) => to === name));
  const next = {
    left: new Map(before.map(({ treatment, top }) => [treatment, top])),
    right: new Map(after.map(({ treatment, top }) => [treatment, top])),
  };
  const place = (flow: Flow) => names.indexOf(flow.from) * names.length + names.indexOf(flow.to);
  const bands = present
    .toSorted((one, other) => place(one) - place(other))
    .map((flow) => ({
      ...flow,
      left: takeFrom(next.left, flow.from, flow.share),
      right: takeFrom(next.right, flow.to, flow.share),
    }));
  return { before, after, bands };
}

function partsOf(names: readonly string[], flowsOf: (name: string) => readonly Flow[]): BarPart[] {
  let top = 0;
  return names.flatMap((treatment) => {
    const share = hundredths(flowsOf(treatment).reduce((sum, flow) => sum + flow.share, 0));
    if (share === 0) return [];
    const part = { treatment, top, share };
    top = hundredths(top + share);
    return [part];
  });
}

function takeFrom(next: Map<string, number>, treatment: string, share: number): number {
  const top = next.get(treatment) ?? 0;
  next.set(treatment, hundredths(top + share));
  return top;
}

/** Shares are multiples of 0.01 percent. */
const hundredths = (share: number): number => Math.round(share * 100) / 100;
