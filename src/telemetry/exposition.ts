/** The Prometheus text format 0.0.4: families of samples. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
}

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** The sample lines, without HELP and TYPE. */
  readonly lines: readonly string[];
}

export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

type Description = Pick<Family, 'name' | 'help'>;

export const counter = (description: Description, samples: readonly Sample[]): Family =>
  family('counter', description, samples);

export const gauge = (description: Description, samples: readonly Sample[]): Family =>
  family('gauge', description, samples);

const family = (type: Family['type'], { name, help }: Description, samples: readonly Sample[]): Family => ({
  name,
  type,
  help,
  lines: samples.map(({ value, labels = {} }) => line(name, labelText(labels), value)),
});

/** Families without samples are left out. */
export const toText = (families: readonly Family[]): string =>
  families
    .filter(({ lines }) => lines.length > 0)
    .map(({ name, type, help, lines }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`)
    .join('');

/** The text between the braces. */
export const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(
      ([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))}"`,
    )
    .join(',');

export const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value === Number.POSITIVE_INFINITY ? '+Inf' : value}`;
