/** The addresses in what somebody typed or pasted: one per line, or with commas, semicolons or spaces between them. */
export function addressesIn(text: string): string[] {
  const words = text
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^<|>$/g, ''))
    .filter(Boolean);
  const seen = new Set<string>();
  return words.filter((word) => seen.size < seen.add(word.toLowerCase()).size);
}
