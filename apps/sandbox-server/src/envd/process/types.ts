import type { Fanout } from './fanout.ts';

export interface ProcessConfig {
  cmd: string;
  args: string[];
  envs: Record<string, string>;
  cwd: string | undefined;
}

/** How a process ended, in E2B's terms. */
export interface EndEvent {
  exitCode: number;
  exited: boolean;
  status: string;
  error?: string;
}

export interface RunningProcess {
  readonly pid: number;
  readonly config: ProcessConfig;
  readonly tag: string | undefined;
  readonly output: Fanout;
  readonly ended: Promise<EndEvent>;
  /** Applies back pressure, so that a flood of input does not fill memory. */
  write(input: { stdin: Buffer } | { pty: Buffer }): Promise<void>;
  closeStdin(): Promise<void>;
  resize(cols: number, rows: number): void;
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface StartOptions {
  config: ProcessConfig;
  tag: string | undefined;
  /** Absolute and existing. */
  cwd: string;
  env: Record<string, string>;
  /** Undefined when there is one uid inside and nothing to switch to. */
  owner: { uid: number; gid: number } | undefined;
}

const SIGNAL_WORDS: Record<string, string> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGABRT: 'aborted',
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
  SIGPIPE: 'broken pipe',
  SIGTERM: 'terminated',
};

/** A killed process has exit code -1, as in E2B: this distinguishes it from `exit 255`. */
export function endEvent(code: number | null, signal: string | null): EndEvent {
  if (signal !== null || code === null) {
    const status = `signal: ${SIGNAL_WORDS[signal ?? ''] ?? (signal ?? 'unknown').toLowerCase().replace('sig', '')}`;
    return { exitCode: -1, exited: false, status, error: status };
  }
  const status = `exit status ${code}`;
  return code === 0
    ? { exitCode: 0, exited: true, status }
    : { exitCode: code, exited: true, status, error: status };
}
