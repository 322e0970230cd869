const maxCharacters = 200_000;
const maxLines = 3000;
const maxLineCharacters = 2000;

/** Longer texts stay plain: generated files are not read for their syntax. */
export function isWithinBounds(text: string): boolean {
  if (text.length > maxCharacters) return false;
  let start = 0;
  for (let line = 1; line <= maxLines; line += 1) {
    const end = text.indexOf('\n', start);
    if ((end === -1 ? text.length : end) - start > maxLineCharacters) return false;
    if (end === -1) return true;
    start = end + 1;
  }
  // The last allowed line may end with a newline.
  return start === text.length;
}
