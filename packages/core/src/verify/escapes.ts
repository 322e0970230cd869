/** Terminal escape sequences: colors, cursor movements and titles. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what is removed
const ESCAPES = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g;

/**
 * Removes escape sequences from output. Ship does not disable colors with an environment variable: that would change what the
 * tests of many command-line libraries see, and make them fail.
 */
export function withoutEscapes(text: string, replacement = ''): string {
  return text.includes('\u001b') ? text.replaceAll(ESCAPES, replacement) : text;
}
