import type { AgentSignal } from '../port.ts';

/**
 * The agent may use its whole sandbox: the sandbox is the boundary, and `/tmp`, `/etc` or `/usr/include` are part of the work.
 * Two calls are refused, because they end the turn or break the agent itself: Ship's control files (pid, log and configuration
 * of the agent), and the same call repeated over and over.
 */
const CONTROL_FOLDER = '/home/user/.ship';
const SKILLS = `${CONTROL_FOLDER}/agent/skills`;

/** `ask`, not `deny`: the reply carries one line of text, while a denial shows the model OpenCode's rules as JSON. */
export const SANDBOX_PERMISSIONS = {
  external_directory: {
    '*': 'allow',
    [`${CONTROL_FOLDER}/*`]: 'ask',
    [`${SKILLS}/*`]: 'allow',
  },
  doom_loop: 'ask',
} as const;

const CONTROL_FILES = `Ship refused this call: ${CONTROL_FOLDER} holds the files that run this agent. Every other folder of the sandbox is open.`;
const LOOP =
  'Ship refused this call: the same call came three times in a row. Change the input, or try another way.';

type Permission = Extract<AgentSignal, { kind: 'permission' }>;

const isOurs = (pattern: string) => `${pattern}/`.startsWith(`${CONTROL_FOLDER}/`);

/** The line for the model and for people; null when a person decides. */
export function refusalOf({ permission, patterns }: Permission): string | null {
  if (permission === 'doom_loop') return LOOP;
  return permission === 'external_directory' && patterns.some(isOurs) ? CONTROL_FILES : null;
}

const FEEDBACK =
  'The user rejected permission to use this specific tool call with the following feedback: ';

/** Ship's own line in the error of a tool, without OpenCode's claim that the user said it; null for any other error. */
export function shipRefusal(error: string): string | null {
  const line = error.startsWith(FEEDBACK) ? error.slice(FEEDBACK.length) : error;
  return [CONTROL_FILES, LOOP].find((one) => line === one) ?? null;
}
