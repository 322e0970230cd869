import { spawn } from 'node:child_process';
import { limits } from '../limits.ts';
import { Semaphore } from './semaphore.ts';
import { type Identity, objectEnvironment, type Place, refEnvironment } from './environment.ts';

export interface GitOptions {
  input?: string | Buffer;
  /** Exit codes that are an answer rather than a failure. */
  answers?: readonly number[];
  /** Output past this is dropped and the process ended; the result says `truncated`. */
  maxBytes?: number;
  identity?: Identity;
  environment?: Record<string, string>;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  truncated: boolean;
}

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

const slots = new Semaphore(limits.gitProcesses);
const defaultMaxBytes = 256 * 1024 * 1024;

/** A command that reads or writes objects, named by their ids; the repository's own config plays no part. */
export function gitObjects(
  place: Place,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const environment = { ...objectEnvironment(place, options.identity), ...options.environment };
  return slots.run(() => run(argv, place.neutralDir, environment, options));
}

/** A command that reads or writes refs. */
export function gitRefs(
  place: Place,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const environment = {
    ...refEnvironment(place, [], options.identity),
    ...options.environment,
  };
  return slots.run(() => run(argv, place.gitDir, environment, options));
}

/** A command in a working copy, which finds its own index and files from `cwd`. */
export function gitInFolder(
  place: Place,
  cwd: string,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const { GIT_DIR: _, ...environment } = refEnvironment(place, [], options.identity);
  return slots.run(() => run(argv, cwd, { ...environment, ...options.environment }, options));
}

export function text(result: GitResult): string {
  return result.stdout.toString('utf8');
}

function run(
  argv: readonly string[],
  cwd: string,
  environment: Record<string, string>,
  options: GitOptions,
): Promise<GitResult> {
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  return new Promise((resolve, reject) => {
    const child = spawn('git', argv, {
      cwd,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: limits.gitProcessMs,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let truncated = false;
    child.stdout.on('data', (chunk: Buffer) => {
      if (truncated) return;
      size += chunk.length;
      if (size > maxBytes) {
        truncated = true;
        chunks.push(chunk.subarray(0, chunk.length - (size - maxBytes)));
        child.kill('SIGKILL');
      } else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < 64 * 1024) stderr += chunk.toString('utf8');
    });
    child.on('error', reject);
    // git may end before it has read all of its input; its exit code tells why, the broken pipe does not.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => {
      const answered = code !== null && (options.answers ?? [0]).includes(code);
      if (!answered && !truncated) return reject(new GitError(argv, code, stderr));
      resolve({ code: code ?? 0, stdout: Buffer.concat(chunks), truncated });
    });
    child.stdin.end(options.input ?? '');
  });
}
