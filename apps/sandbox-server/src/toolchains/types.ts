/** Toolchains of the machine that sandboxes may use, read-only. */
export const TOOL_NAMES = ['bun', 'deno', 'go', 'java', 'node', 'python', 'rust', 'uv'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** `auto`: all that are found. */
export type ToolchainChoice = 'auto' | 'none' | readonly ToolName[];

/** One installed version of a tool on the host. */
export interface Toolchain {
  name: ToolName;
  version: string;
  /** Name of its folder inside: the version, or for Rust the name of the toolchain. */
  label: string;
  /** The program that installed it: `nvm`, `rustup`, `/usr/local` … */
  origin: string;
  /** Real path on the host: a folder, or the folder of single-file programs. */
  source: string;
  /** Folders below `source` that sandboxes see; everything else in it stays invisible. */
  folders: readonly string[];
  /** Folders below those that appear empty. */
  hidden: readonly string[];
  /** Small folders below `source` that are copied: every mount slows down every sandbox start. */
  copied: readonly string[];
  /** Single-file programs of `source`, copied instead of mounted. */
  programs: readonly string[];
}

/** Found, but unusable inside, with the reason. */
export interface RefusedToolchain {
  name: ToolName;
  path: string;
  reason: string;
}

export interface DetectedToolchains {
  found: Toolchain[];
  refused: RefusedToolchain[];
}

/** An entry of `/etc/ship/toolchains.json` and of `GET /ship/capabilities`. */
export interface ToolchainEntry {
  name: string;
  /** Null where it is unknown without running the program. */
  version: string | null;
  /** The folder inside with its programs. */
  bin: string;
  origin: string;
  /** Whether its programs are on PATH. */
  onPath: boolean;
}

/** Where the toolchains appear inside. */
export const INSIDE_TOOLCHAINS = '/run/toolchains';
