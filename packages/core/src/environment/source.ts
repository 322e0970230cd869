/** The environment that a team describes in a file of its repository, independent of the file's format. */

/** When a command runs. The first three prepare a sandbox once; the others run in the background at every start. */
export type CommandPhase = 'create' | 'update' | 'postCreate' | 'start' | 'attach';

/** The phases of the setup, in the order in which they run. */
export const SETUP_PHASES = ['create', 'update', 'postCreate'] as const;

/** A literal text, or a variable that the shell in the sandbox expands: a plan never contains the value of a secret. */
export type ValuePart = string | { variable: string; fallback: string };

export interface NamedCommand {
  /** Null unless the file names it. */
  name: string | null;
  /** A line for bash. */
  line: string;
}

/** Several commands of one step run in parallel. */
export interface EnvironmentStep {
  phase: CommandPhase;
  /** The field that holds it, as the file spells it. */
  item: string;
  commands: readonly NamedCommand[];
}

export interface EnvironmentPort {
  port: number;
  label: string | null;
  /** Whether the file wants the port shown as soon as a program listens on it. */
  opensPreview: boolean;
}

export interface ToolRequest {
  tool: string;
  /** As the file writes it; null for any version. */
  version: string | null;
  item: string;
}

export const NATIVE_SERVERS = ['postgres', 'redis', 'mariadb'] as const;
export type NativeServer = (typeof NATIVE_SERVERS)[number];

/** A service that a server installed in the sandbox replaces. */
export interface EnvironmentService {
  /** Its name in the file, and so the host name that other services call it by. */
  name: string;
  server: NativeServer;
  image: string;
  /** Where it listens on the loopback interface. */
  port: number;
  user: readonly ValuePart[];
  password: readonly ValuePart[];
  database: readonly ValuePart[];
}

export interface SecretRequest {
  name: string;
  description: string | null;
}

export interface EnvironmentLimits {
  cpus: number | null;
  memoryBytes: number | null;
  storageBytes: number | null;
}

/** One row of the table that shows a person what happened to each part of the file. */
export interface EnvironmentRow {
  item: string;
  applied: boolean;
  why: string;
}

export interface EnvironmentSource {
  file: string;
  steps: readonly EnvironmentStep[];
  /** The last phase that the agent waits for. */
  waitFor: CommandPhase;
  /** Null removes the variable. */
  environment: Readonly<Record<string, readonly ValuePart[] | null>>;
  /** Below the repository's root; null is the root itself. */
  workingDirectory: string | null;
  ports: readonly EnvironmentPort[];
  tools: readonly ToolRequest[];
  services: readonly EnvironmentService[];
  secrets: readonly SecretRequest[];
  limits: EnvironmentLimits;
  rows: readonly EnvironmentRow[];
}

export function emptySource(file: string): EnvironmentSource {
  return {
    file,
    steps: [],
    waitFor: 'postCreate',
    environment: {},
    workingDirectory: null,
    ports: [],
    tools: [],
    services: [],
    secrets: [],
    limits: { cpus: null, memoryBytes: null, storageBytes: null },
    rows: [],
  };
}

export const NOT_READ = 'Ship did not find it or does not read files there';

/** A file that cannot be read must not look like a file with nothing in it. */
export function unreadableSource(file: string, why: string): EnvironmentSource {
  return { ...emptySource(file), rows: [{ item: file, applied: false, why }] };
}

export const applied = (item: string, why: string): EnvironmentRow => ({
  item,
  applied: true,
  why,
});
export const notApplied = (item: string, why: string): EnvironmentRow => ({
  item,
  applied: false,
  why,
});
