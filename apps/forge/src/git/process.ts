import { spawn } from 'node:child_process';
import { limits } from '../limits.ts';
import { type Identity, plainEnvironment } from './environment.ts';
import { GitError } from './git-error.ts';
import { Semaphore } from './semaphore.ts';

export interface GitOptions {
  input?: string | Buffer;
  /** Exit codes that do not throw; default: 0. */
  expectedCodes?: readonly number[];
  /** Above this size the output is truncated and the process killed; the result says `truncated`. */
  maxBytes?: number;
  identity?: Identity;
  environment?: Record<string, string>;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  truncated: boolean;
}

const slots = new Semaphore(limits.gitProcesses);
const defaultMaxBytes = 256 * 1024 * 1024;

/** A command that needs no repository. */
export function gitPlain(
  neutralDir: string,
  cwd: string,
  argv: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const environment = { ...plainEnvironment(neutralDir), ...options.environment };
  return startGit(argv, cwd, environment, options);
}

/** Runs one git process, as soon as a slot is free. */
export function startGit(
  argv: readonly string[],
  cwd: string,
  environment: Record<string, string>,
  options: GitOptions = {},
): Promise<GitResult> {
  return slots.run(() => run(argv, cwd, environment, options));
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
    // git may exit before it has read all of its input; the exit code has the reason, the broken pipe does not.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => {
      const isExpected = code !== null && (options.expectedCodes ?? [0]).includes(code);
      if (!isExpected && !truncated) return reject(new GitError(argv, code, stderr));
      resolve({ code: code ?? 0, stdout: Buffer.concat(chunks), truncated });
    });
    child.stdin.end(options.input ?? '');
  });
}
