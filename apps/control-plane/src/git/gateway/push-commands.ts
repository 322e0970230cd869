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
/** A space, a control character or a second NUL makes a ref invalid; git itself refuses the rest. */
const COMMAND = new RegExp(`^(${SHA}) (${SHA}) ([^\\x00-\\x20\\x7f~^:?*\\[\\\\]{1,500})$`);
const SHALLOW = new RegExp(`^shallow ${SHA}$`);
const MAX_COMMANDS = 256;

/**
 * The commands of a push, or undefined when anything about them is unusual: a signed push (`push-cert`) has its commands in
 * another place, and git would read a NUL after the first line differently than this parser.
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
const SHIP_REFS = 'refs/ship/';
/** One ref per session: with free names a session could leave any number of refs at the forge. */
const CHECKPOINT = 'checkpoint';

function refsOf(sessionId: string): string {
  return `${SHIP_REFS}${sessionId}/`;
}

/** Checkpoints contain uncommitted work, which other sessions must not read. */
export function maySee(ref: string, { sessionId }: { sessionId: string }): boolean {
  // Unnamed tips of repositories that the forge borrows objects from: any of them may be a checkpoint.
  if (ref === '.have') return false;
  return !ref.startsWith(SHIP_REFS) || ref.startsWith(refsOf(sessionId));
}

/** Why a session may not do this; undefined when it may. */
export function refusePush(
  { newSha, ref }: PushCommand,
  { branch, sessionId }: { branch: string; sessionId: string },
): string | undefined {
  const own = refsOf(sessionId);
  if (ref.startsWith(own)) {
    const name = ref.slice(own.length);
    return name === CHECKPOINT ? undefined : 'Ship: not a valid name for a checkpoint';
  }
  if (ref !== `refs/heads/${branch}`)
    return ref.startsWith('refs/tags/')
      ? 'Ship: a session cannot push tags'
      : `Ship: this session may push to ${branch} only`;
  return ZERO.test(newSha) ? 'Ship: a session cannot delete its branch' : undefined;
}
