/** Creates and activates segments from where they are named. */
import { useMutation } from '@tanstack/react-query';
import { activateSegment, createSegment } from '#contract/segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { explain } from '../kit/explain.ts';
import { call } from '../server/api.ts';
import type { ApiProblem } from '../server/api-problem.ts';
import { type Environment, useProject } from '../server/project.ts';
import { useWhyNot } from '../server/rights.ts';
import { toast, toastFailure } from '../state/toasts.ts';
import { useRefreshKnownSegments } from './known-segments.ts';
import { activate } from './segment-kinds.ts';

interface Wanted {
  readonly name: string;
  /** Of a segment that exists; otherwise a standard one is created. */
  readonly kind: SegmentKind | undefined;
}

/** The segment is active in the environment afterwards. */
export function useMakeSegment(environment: Environment, trafficType: string) {
  const project = useProject();
  const whyNot = useWhyNot();
  const refresh = useRefreshKnownSegments();
  const making = useMutation<unknown, ApiProblem, Wanted>({
    mutationFn: async ({ name, kind }) => {
      if (!kind) await call(createSegment, { params: { project: project.id, trafficType }, body: { name } });
      await activate({ name, kind: kind ?? 'standard', environment: environment.id });
    },
    onSuccess: (_, { name, kind }) =>
      toast(
        kind
          ? `${name} is active in ${environment.name}.`
          : `Created ${name}. It is active in ${environment.name}, without keys.`,
      ),
    onError: (problem) => toastFailure(explain(problem)),
    onSettled: refresh,
  });
  const mayNotActivate = whyNot(activateSegment, { environment: environment.id });
  return {
    make: making.mutate,
    isBusy: making.isPending,
    /** Why the user cannot. */
    refusal: { create: whyNot(createSegment) ?? mayNotActivate, activate: mayNotActivate },
  };
}
