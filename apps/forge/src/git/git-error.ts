export class GitError extends Error {
  readonly stderr: string;
  readonly code: number | null;

  constructor(argv: readonly string[], code: number | null, stderr: string) {
    super(`git ${argv[0] ?? ''} failed (${code ?? 'killed'}): ${stderr.trim().slice(0, 2000)}`);
    this.name = 'GitError';
    this.stderr = stderr;
    this.code = code;
  }
}
