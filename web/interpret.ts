/**
 * Replaces `typebox/compile` in the browser, where the Content-Security-Policy forbids code generated from text. A schema is
 * interpreted instead: a hundred times slower, which is still a fraction of a millisecond for a definition, with the
 * same verdicts and the same errors, since the compiler makes its errors in this way too.
 */
import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';

export const Compile = (schema: TSchema) => ({
  Check: (value: unknown) => Check(schema, value),
  Errors: (value: unknown) => Errors(schema, value),
});
