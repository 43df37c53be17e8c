/**
 * Copies text to the clipboard. Browsers offer the clipboard API only over https or on localhost; elsewhere
 * this falls back to a selection.
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
