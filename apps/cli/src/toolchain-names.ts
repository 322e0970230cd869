import type { TOOL_NAMES, ToolchainChoice } from '@ship/sandbox-server';

export type { ToolchainChoice };

/** Not imported as a value: the sandbox server is a hundred files that `ship --help` need not load. */
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
