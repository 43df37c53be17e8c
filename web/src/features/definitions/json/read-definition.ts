/** Parses a typed or pasted definition as the server would. Loaded late: the parser is large. */

import type { Targeting } from '#domain/definitions/definition.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { Problem } from '#domain/problems.ts';
import { ApiProblem } from '../../../server/api-problem.ts';
import { complaintsAbout } from '../editing/complaints.ts';

/** Throws the server's error. */
export function readDefinition(text: string, flag: string): Targeting {
  const targeting = parsed(text);
  const [first, ...others] = complaintsAbout(targeting, flag).map(({ words }) => words);
  if (first !== undefined) throw refusal(first, [first, ...others]);
  return targeting;
}

function parsed(text: string): Targeting {
  try {
    return parseTargeting(JSON.parse(text));
  } catch (problem) {
    if (problem instanceof SyntaxError) throw refusal(`Invalid JSON: ${problem.message}`, []);
    if (problem instanceof Problem) throw refusal(problem.message, problem.details.split('\n').filter(Boolean));
    throw problem;
  }
}

const refusal = (message: string, complaints: readonly string[]) =>
  new ApiProblem({ status: 400, message, details: complaints.join('\n') });
