/**
 * Puts text on the clipboard. Browsers offer their clipboard only to pages from https or from this machine; elsewhere
 * the old way by a selection still works.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
