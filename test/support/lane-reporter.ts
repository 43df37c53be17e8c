/** Tells `test/run.ts` how each file of a lane went. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { spec, type TestEvent } from 'node:test/reporters';

export interface FileReport {
  readonly file: string;
  readonly passed: boolean;
  readonly tests: number;
  /** The output of Node's own reporter; it ends with the failing tests. */
  readonly text: string;
}

// biome-ignore lint/style/noDefaultExport: Node takes the reporter from there
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let ofFile: TestEvent[] = [];
  for await (const event of events) {
    ofFile.push(event);
    if ((event.type !== 'test:pass' && event.type !== 'test:fail') || event.data.nesting > 0) continue;
    const tests = ofFile.filter(isEndOfTest).length;
    const report: FileReport = {
      file: event.data.name,
      passed: event.type === 'test:pass' && tests > 0,
      tests,
      text: await text(Readable.from(ofFile).compose(spec)),
    };
    process.send?.(report);
    ofFile = [];
  }
  // Uncaught errors after the tests. The process then exits with a failure.
  for (const { type, data } of ofFile) {
    if (type === 'test:diagnostic' && data.message.startsWith('Error:')) yield `${data.message}\n`;
  }
}

const isEndOfTest = ({ type, data }: TestEvent): boolean =>
  (type === 'test:pass' || type === 'test:fail') && data.nesting > 0 && data.details.type !== 'suite';
