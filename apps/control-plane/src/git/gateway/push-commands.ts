import type { Packet } from './pkt-line.ts';

export interface PushCommand {
  oldSha: string;
  newSha: string;
  ref: string;
}

export interface PushRequest {
  commands: PushCommand[];
  capabilities: ReadonlySet<string>;
}

const SHA = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
/** A ref with a space, a control character or a second NUL is no ref; git itself refuses the rest. */
const COMMAND = new RegExp(`^(${SHA}) (${SHA}) ([^\\x00-\\x20\\x7f~^:?*\\[\\\\]{1,500})$`);
const SHALLOW = new RegExp(`^shallow ${SHA}$`);
const MAX_COMMANDS = 256;

/**
 * The commands of a push, or undefined when anything about them is unusual: a signed push (`push-cert`) carries its
 * commands in another place, and a NUL behind the first line would be read differently by git than by us.
 */
export function parsePush(packets: readonly Packet[]): PushRequest | undefined {
  const commands: PushCommand[] = [];
  let capabilities: ReadonlySet<string> = new Set();
  for (const bytes of packets) {
    const line = decode(bytes)?.replace(/\n$/, '');
    if (line === undefined) return undefined;
    if (commands.length === 0 && SHALLOW.test(line)) continue;
    const mark = line.indexOf('\0');
    const text = mark === -1 ? line : line.slice(0, mark);
    if (mark !== -1) {
      if (commands.length > 0 || line.includes('\0', mark + 1)) return undefined;
      capabilities = new Set(
        line
          .slice(mark + 1)
          .split(' ')
          .filter((word) => word !== ''),
      );
    }
    const [, oldSha, newSha, ref] = COMMAND.exec(text) ?? [];
    if (oldSha === undefined || newSha === undefined || ref === undefined) return undefined;
    if (commands.length >= MAX_COMMANDS) return undefined;
    commands.push({ oldSha, newSha, ref });
  }
  return { commands, capabilities };
}

function decode(bytes: Packet): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const ZERO = /^0+$/;
const STATES = 'refs/ship/';
/** One for each session: with names of its own choice a session could leave any number of refs at the forge. */
const SAVED_STATE = 'checkpoint';

function statesOf(sessionId: string): string {
  return `${STATES}${sessionId}/`;
}

/** Saved states have what was not committed, which other sessions must not read. */
export function maySee(ref: string, { sessionId }: { sessionId: string }): boolean {
  // Tips of repositories that the forge borrows objects from, without their names: any of them may be a saved state.
  if (ref === '.have') return false;
  return !ref.startsWith(STATES) || ref.startsWith(statesOf(sessionId));
}

/** Why a session may not do this; undefined when it may. */
export function refusePush(
  { newSha, ref }: PushCommand,
  { branch, sessionId }: { branch: string; sessionId: string },
): string | undefined {
  const own = statesOf(sessionId);
  if (ref.startsWith(own)) {
    const name = ref.slice(own.length);
    return name === SAVED_STATE ? undefined : 'Ship: no such name for a saved state';
  }
  if (ref !== `refs/heads/${branch}`)
    return ref.startsWith('refs/tags/')
      ? 'Ship: a session cannot push tags'
      : `Ship: this session may push to ${branch} only`;
  return ZERO.test(newSha) ? 'Ship: a session cannot delete its branch' : undefined;
}
