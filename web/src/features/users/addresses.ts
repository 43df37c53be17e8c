/** Splits typed or pasted text into addresses at line breaks, commas, semicolons and spaces. */
export function addressesIn(text: string): string[] {
  const words = text
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^<|>$/g, ''))
    .filter(Boolean);
  const seen = new Set<string>();
  return words.filter((word) => seen.size < seen.add(word.toLowerCase()).size);
}
