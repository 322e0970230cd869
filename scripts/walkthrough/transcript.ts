/** Commands and their answers, with paths, ids and times replaced by neutral ones. */
import { spawn } from 'node:child_process';

export interface Neutral {
  /** Stands for the home folder. */
  home: string;
  port: number;
}

export function neutral(text: string, { home, port }: Neutral): string {
  return (
    text
      .replaceAll(home, '~')
      .replaceAll(`:${port}`, ':4400')
      // eslint-disable-next-line no-control-regex
      .replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
      .replaceAll(/ses_[0-9a-z]{26}/g, 'ses_01j9x2m4q8v7t3k5n6p8r9s0ab')
      .replaceAll(/-20\d{10}-[0-9a-z]{8}\b/g, '-202601151030-r9s0ab12')
      .replaceAll(/\b20\d\d-\d\d-\d\d([T ])\d\d:\d\d(:\d\d)?(\.\d+)?/g, '2026-01-15$110:30')
      .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '10:30:00')
      .replaceAll(/\b[0-9a-f]{40}\b/g, '4f1c2a9e7b3d5f60718293a4b5c6d7e8f9012345')
      .replaceAll(/[ \t]+$/gm, '')
      .trimEnd()
  );
}

export interface Typed {
  /** As shown in the transcript. */
  shown: string;
  argv: readonly [string, ...string[]];
  cwd: string;
}

/** Runs a command to its end and returns its output. Throws unless it succeeds. */
export function type(
  { shown, argv: [program, ...args], cwd }: Typed,
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
    });
    let output = '';
    const take = (chunk: Buffer) => (output += chunk.toString());
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${shown}: ended with ${code}\n${output}`)),
    );
  });
}
