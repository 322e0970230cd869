/**
 * What the session needs of a sandbox service. Every call may be repeated after a crash: creating is found again by the
 * session's name, the rest says "already so" instead of failing.
 */
import type { SessionId } from '@ship/protocol';

/** Hosts that a sandbox may reach, and no others. Empty: those that its service allows by itself. */
export type Egress = readonly string[];

export interface SandboxRequest {
  sessionId: SessionId;
  template: string;
  /** The first of these that the service has is taken instead: captured sandboxes, which may come and go. */
  preferred?: readonly string[];
  /** How long the service keeps the sandbox without hearing from us; then it freezes it, never ends it. */
  timeoutMs: number;
  env: Record<string, string>;
  egress: Egress;
  /** Folders of the captured files that nothing inside may change, `root` included, where the service can do that. */
  readOnly?: readonly string[];
}

export interface CommandRequest {
  /** Passed as it is, word by word: nothing is ever read by a shell. */
  argv: readonly [string, ...string[]];
  cwd?: string;
  user?: 'user' | 'root';
  env?: Record<string, string>;
  timeoutMs: number;
  /** Both streams together; 8 MB without one. A command that prints more is killed and fails with `limit-reached`. */
  maxOutputBytes?: number;
}

export type BackgroundRequest = Omit<CommandRequest, 'timeoutMs' | 'maxOutputBytes'>;

/** Where a port of a sandbox is reached from here. */
export interface PortAddress {
  url: string;
  /** To be sent with every request. */
  headers: Record<string, string>;
}

export interface CommandOutcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A sandbox for work that belongs to no session. It ends by itself after `timeoutMs`. */
export interface BuilderRequest {
  /** One at a time has this name. */
  name: string;
  template: string;
  preferred?: readonly string[];
  timeoutMs: number;
  egress: Egress;
}

/** `frozen`: its processes are stopped in place. `asleep`: they have ended, and its files are there. */
export type SandboxPresence = 'running' | 'frozen' | 'asleep' | 'absent';

export interface SandboxPort {
  create(request: SandboxRequest): Promise<string>;
  /**
   * Undefined while another of that name is at work: its sandbox is the lock, and ends by itself when whoever made it is
   * gone.
   */
  createBuilder(request: BuilderRequest): Promise<string | undefined>;
  /** Keeps its files under a name, which is a template from then on; what had the name before is replaced. */
  capture(sandboxId: string, name: string): Promise<void>;
  /** Whether what was captured under this name is still there. */
  hasCaptured(name: string): Promise<boolean>;
  /** Forgets what was captured under a name. Sandboxes that were made from it keep their files. */
  forget(name: string): Promise<void>;
  /** Which build of a template new sandboxes are made from: another one after it was built anew. Empty if nobody knows. */
  buildOf(template: string): Promise<string>;
  /** What earlier, interrupted `create`s for this session made, oldest first. More than one is one too many. */
  findAll(sessionId: SessionId): Promise<string[]>;
  presence(sandboxId: string): Promise<SandboxPresence>;
  /** Wakes it if it sleeps, and keeps it for `timeoutMs` from now. */
  wake(sandboxId: string, timeoutMs: number): Promise<void>;
  /** Stops its processes in place; memory stays in use. */
  freeze(sandboxId: string): Promise<void>;
  /** Until the next `wake`, the service may end its processes, and keep its files, when the machine runs short of memory. */
  markEvictable(sandboxId: string): Promise<void>;
  /** Ends its processes and keeps its files; memory is given back. */
  sleep(sandboxId: string): Promise<void>;
  destroy(sandboxId: string): Promise<void>;
  /** From now on, for new connections and those that are open. */
  limitEgress(sandboxId: string, egress: Egress): Promise<void>;
  /** Runs one command to its end. A command that fails is an outcome, not an error; one that prints too much is an error. */
  run(sandboxId: string, command: CommandRequest): Promise<CommandOutcome>;
  /** Starts a program that goes on when we are gone, until it or its sandbox ends. Its output is its own business. */
  start(sandboxId: string, command: BackgroundRequest): Promise<void>;
  /** Does not ask whether anything listens there. */
  reach(sandboxId: string, port: number): Promise<PortAddress>;
  /** Fails with `too-large` beyond 10 MB. */
  readFile(sandboxId: string, path: string): Promise<string>;
  writeFile(sandboxId: string, path: string, content: string): Promise<void>;
}
