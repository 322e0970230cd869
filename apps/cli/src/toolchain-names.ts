import type { TOOL_NAMES, ToolchainChoice } from '@ship/sandbox-server';

export type { ToolchainChoice };

/** A copy, not an import: the sandbox server is a hundred files, which `ship --help` must not load. */
export const TOOLCHAIN_NAMES: typeof TOOL_NAMES = [
  'bun',
  'deno',
  'go',
  'java',
  'node',
  'python',
  'rust',
  'uv',
];
