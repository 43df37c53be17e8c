import { useProject } from '../server/project.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { useKnownSegments } from './known-segments.ts';
import { useRulePlace } from './rule-place.ts';

interface Props {
  readonly name: string;
  /** All segments that the rules name: they are read together. */
  readonly all: readonly string[];
}

/** The name of a segment, linked to its page; struck through if there is no such segment. */
export function SegmentLink({ name, all }: Props) {
  const project = useProject();
  const { environment } = useRulePlace();
  const { known } = useKnownSegments(environment.id, all);
  if (known.get(name) === 'missing') return <s>{name}</s>;
  return (
    <TextLink
      to="/p/$project/segments/$segment/$environment"
      params={{ project: project.name, segment: name, environment: environment.name }}
    >
      {name}
    </TextLink>
  );
}
