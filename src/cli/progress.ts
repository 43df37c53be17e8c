const showEveryMs = 1_000;

/** Writes lines to stderr, at most one per second; others are not even built. */
export function showSparingly(): (line: () => string) => void {
  let shownAt = performance.now();
  return (line) => {
    if (performance.now() - shownAt < showEveryMs) return;
    shownAt = performance.now();
    process.stderr.write(`${line()}\n`);
  };
}
