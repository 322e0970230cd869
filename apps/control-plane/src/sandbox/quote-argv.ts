/**
 * One shell word per argument. E2B runs commands through a shell, and text from a repository or a person must reach the program
 * unchanged.
 */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
