/**
 * One shell word per argument. E2B runs commands through a shell, so words that come from a repository or a person must
 * reach the program untouched, whatever they contain.
 */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
