/** Colours, cursor movements and titles of terminals. */
// oxlint-disable-next-line no-control-regex -- these are what must go
const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g;

/**
 * Output as plain text. Programs are not told to print without colours: a variable for that changes what the tests of many
 * command-line libraries see, and they fail for no reason of the work.
 */
export function withoutEscapes(text: string, replacement = ''): string {
  return text.includes('\u001b') ? text.replaceAll(ESCAPES, replacement) : text;
}
