/**
 * A sandbox service, as a session uses it. Every call is idempotent after a crash: an interrupted create is found again by
 * the session's id, the other calls succeed when there is nothing left to do.
 */
import type { SessionId } from '@ship/protocol';

/** The egress allow-list of a sandbox. Empty: the service's default. */
export type Egress = readonly string[];

export interface SandboxRequest {
  sessionId: SessionId;
  template: string;
  /** The first of these captured sandboxes that exists replaces the template; they may come and go. */
  preferred?: readonly string[];
  /** How long the service keeps the sandbox without a heartbeat; then it freezes it, never destroys it. */
  timeoutMs: number;
  env: Record<string, string>;
  egress: Egress;
  /** Folders of the captured files that nothing inside may change, not even `root`, where the service supports it. */
  readOnly?: readonly string[];
}

export interface CommandRequest {
  /** Passed argument by argument: never interpreted by a shell. */
  argv: readonly [string, ...string[]];
  cwd?: string;
  user?: 'user' | 'root';
  env?: Record<string, string>;
  timeoutMs: number;
  /** Both streams together; 8 MB by default. A command that prints more is killed and fails with `limit-reached`. */
  maxOutputBytes?: number;
}

export type BackgroundRequest = Omit<CommandRequest, 'timeoutMs' | 'maxOutputBytes'>;

/** The address of a sandbox's port. */
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

/** A sandbox for work that belongs to no session. It ends automatically after `timeoutMs`. */
export interface BuilderRequest {
  /** A lock: one sandbox at a time has this name. */
  name: string;
  template: string;
  preferred?: readonly string[];
  timeoutMs: number;
  egress: Egress;
}

/** `frozen`: its processes are stopped in place. `asleep`: they have ended, and its files are kept. */
export type SandboxPresence = 'running' | 'frozen' | 'asleep' | 'absent';

export interface SandboxPort {
  create(request: SandboxRequest): Promise<string>;
  /**
   * Undefined while another sandbox of that name exists: the sandbox is the lock, and ends automatically when its creator has
   * died.
   */
  createBuilder(request: BuilderRequest): Promise<string | undefined>;
  /** Saves the sandbox's files under a name, which becomes a template; replaces an earlier capture of that name. */
  capture(sandboxId: string, name: string): Promise<void>;
  /** Whether the capture of this name still exists. */
  hasCaptured(name: string): Promise<boolean>;
  /** Deletes the capture of this name. Sandboxes that were created from it keep their files. */
  forget(name: string): Promise<void>;
  /** The build of a template that new sandboxes are created from; changes with every rebuild. Empty if it is not known. */
  buildOf(template: string): Promise<string>;
  /** Sandboxes that earlier, interrupted `create`s for this session made, oldest first. More than one is one too many. */
  findAll(sessionId: SessionId): Promise<string[]>;
  presence(sandboxId: string): Promise<SandboxPresence>;
  /** Wakes it if it sleeps, and keeps it for `timeoutMs` from now. */
  wake(sandboxId: string, timeoutMs: number): Promise<void>;
  /** Stops its processes in place; memory stays in use. */
  freeze(sandboxId: string): Promise<void>;
  /** Until the next `wake`, the service may end its processes, and keep its files, when the machine runs short of memory. */
  markEvictable(sandboxId: string): Promise<void>;
  /** Ends its processes and keeps its files; memory is freed. */
  sleep(sandboxId: string): Promise<void>;
  destroy(sandboxId: string): Promise<void>;
  /** Applies at once, to new and open connections. */
  limitEgress(sandboxId: string, egress: Egress): Promise<void>;
  /** Runs one command to its end. A failing command is an outcome, not an error; one that prints too much is an error. */
  run(sandboxId: string, command: CommandRequest): Promise<CommandOutcome>;
  /** Starts a program that outlives the call, until it or its sandbox ends. Its output is discarded. */
  start(sandboxId: string, command: BackgroundRequest): Promise<void>;
  /** Does not check whether anything listens there. */
  reach(sandboxId: string, port: number): Promise<PortAddress>;
  /** Fails with `too-large` beyond 10 MB. */
  readFile(sandboxId: string, path: string): Promise<string>;
  writeFile(sandboxId: string, path: string, content: string): Promise<void>;
}
