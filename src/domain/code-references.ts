/** Where code names flags, as a scan of a repository reports it. */
import { type Static, Type } from 'typebox';
import { Millis, patterns } from './schema.ts';

/** Of one report. */
export const maxReferences = 5_000;
/** For each flag in a report. More would add nothing. */
export const maxReferencesOfFlag = 100;
export const maxReports = 100;
export const maxExcerpt = 200;
/** Reports that are not renewed are deleted: their branch is gone. */
export const reportDays = 90;

const Text = (maxLength: number, description: string) =>
  Type.String({ pattern: patterns.name, minLength: 1, maxLength, description });

const Place = {
  path: Text(1_000, 'in the repository, with slashes'),
  line: Type.Integer({ minimum: 1, maximum: 100_000_000 }),
  excerpt: Type.Optional(Type.String({ maxLength: maxExcerpt, description: 'the line, or its beginning' })),
};

const Origin = {
  repository: Text(255, 'its name, for example `acme/shop`'),
  branch: Text(255, 'its name'),
  commit: Type.Optional(Type.String({ pattern: '^[0-9a-f]{7,64}$', description: 'the commit that was scanned' })),
};

export const CodeReport = Type.Object(
  {
    ...Origin,
    urlPattern: Type.Optional(
      Type.String({
        maxLength: 1_000,
        pattern: '^https?://[^\\s]+$',
        description:
          'address of a line, for links: `{commit}`, `{path}` and `{line}` are replaced. For example ' +
          '`https://github.com/acme/shop/blob/{commit}/{path}#L{line}`',
      }),
    ),
    references: Type.Array(Type.Object({ flag: Text(255, 'its name'), ...Place }, { additionalProperties: false }), {
      maxItems: maxReferences,
      description: 'all of them: they replace those of the last report of this repository and branch',
    }),
  },
  { additionalProperties: false },
);
export type CodeReport = Static<typeof CodeReport>;

export const FlagCode = Type.Object({
  reports: Type.Array(
    Type.Object({
      ...Origin,
      reportedAt: Millis,
      references: Type.Array(
        Type.Object({ ...Place, url: Type.Optional(Type.String({ description: 'where people can read the line' })) }),
        { description: `in the order of files and lines, up to ${maxReferencesOfFlag}` },
      ),
    }),
    { description: 'of the branches that name the flag' },
  ),
});
export type FlagCode = Static<typeof FlagCode>;

interface Line {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
}

export function urlOf(pattern: string, { commit, path, line }: Line): string {
  const words = { commit, path: path.split('/').map(encodeURIComponent).join('/'), line: String(line) };
  return pattern.replaceAll(/\{(commit|path|line)\}/g, (_, word: keyof typeof words) => words[word]);
}
