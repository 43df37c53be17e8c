/** Reads keys from a CSV file that arrives in pieces: UTF-8, one key per line, no header. */
export class KeyLines {
  readonly #longestKey: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The start of a line whose end has not arrived yet. */
  #rest = '';
  #line = 0;
  #complaint: string | undefined;

  constructor(longestKey: number) {
    this.#longestKey = longestKey;
  }

  /** About the first wrong line. */
  get complaint(): string | undefined {
    return this.#complaint;
  }

  /** The keys of the lines that these bytes complete. */
  add(bytes: Uint8Array): string[] {
    return this.#read(() => this.#decoder.decode(bytes, { stream: true }));
  }

  /** The last line, if no line break ends it. */
  end(): string[] {
    return this.#read(() => `${this.#decoder.decode()}\n`);
  }

  #read(decode: () => string): string[] {
    if (this.#complaint !== undefined) return [];
    let text: string;
    try {
      text = this.#rest + decode();
    } catch {
      this.#complaint = `the file is not UTF-8 after line ${this.#line}`;
      return [];
    }
    const lines = text.split('\n');
    this.#rest = lines.pop() ?? '';
    const keys = lines.map((line) => this.#keyOf(line)).filter((key) => key !== '');
    // No valid line is longer, even in quotes with every quote doubled. A file without line breaks must not fill memory.
    if (this.#rest.length > 2 * this.#longestKey + 100) this.#complain(this.#line + 1, this.#tooLong);
    return keys;
  }

  #keyOf(line: string): string {
    this.#line += 1;
    const key = line.includes('"') ? this.#unquote(line.trim()) : line.trim();
    if (key.length > this.#longestKey) this.#complain(this.#line, this.#tooLong);
    else if (key.includes(',') && !line.includes('"')) this.#complain(this.#line, 'has more than one column');
    else if (key.includes('\0')) this.#complain(this.#line, 'contains NUL');
    return key;
  }

  #unquote(field: string): string {
    const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(field) ?? [];
    if (quoted === undefined) this.#complain(this.#line, 'has a quote in the wrong place');
    return (quoted ?? '').replaceAll('""', '"').trim();
  }

  get #tooLong(): string {
    return `must not have more than ${this.#longestKey} characters`;
  }

  #complain(line: number, complaint: string): void {
    this.#complaint ??= `line ${line} ${complaint}`;
  }
}
