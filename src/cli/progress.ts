const showEveryMs = 1_000;

/** Writes lines to stderr, at most one a second; the others are not even made. */
export function showSparingly(): (line: () => string) => void {
  let shownAt = performance.now();
  return (line) => {
    if (performance.now() - shownAt < showEveryMs) return;
    shownAt = performance.now();
    process.stderr.write(`${line()}\n`);
  };
}
