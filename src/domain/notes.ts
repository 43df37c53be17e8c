/** Titles and comments: why a change was made. */

/** Of a title or a comment, in characters. */
export const noteLimit = 2_000;

/** As much of the text as a title or comment can have, without half an emoji at its end. */
export function cutNote(text: string): string {
  if (text.length <= noteLimit) return text;
  return text.slice(0, new Intl.Segmenter().segment(text).containing(noteLimit)?.index);
}

/** The title of what takes back a change. */
export const revertTitle = (title: string): string => cutNote(`Revert: ${title}`.trim());
