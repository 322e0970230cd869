/**
 * One shell word per argument. E2B runs commands through a shell, and text from a repository or a person must reach the program
 * untouched, whatever it contains.
 */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
