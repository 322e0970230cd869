const maxCharacters = 200_000;
const maxLines = 3000;
const maxLineCharacters = 2000;

/** A longer text stays plain: what a program wrote for programs is not read for its words. */
export function isWithinBounds(text: string): boolean {
  if (text.length > maxCharacters) return false;
  let start = 0;
  for (let line = 1; line <= maxLines; line += 1) {
    const end = text.indexOf('\n', start);
    if ((end === -1 ? text.length : end) - start > maxLineCharacters) return false;
    if (end === -1) return true;
    start = end + 1;
  }
  // Where the last of them ends the text may end too.
  return start === text.length;
}
