import { saying } from '@ship/core';
import { type ShipError, ShipFailure, openSettings, shipError } from '@ship/protocol';
import type { Forge } from './port.ts';

/**
 * Checks at the beginning of a session whether it could deliver at the end: a read-only token would otherwise fail after the
 * work is done. Undefined when nothing stands in the way.
 */
export async function preflight(forge: Forge): Promise<ShipError | undefined> {
  const name = `${forge.owner}/${forge.name}`;
  const place =
    forge.kind === 'github' ? 'under Settings → Forges (or in GITHUB_TOKEN)' : 'in FORGE_TOKEN';
  const action = forge.kind === 'github' ? openSettings('forges') : undefined;
  try {
    const { isArchived } = await forge.repository();
    if (isArchived)
      return shipError(
        'repository-archived',
        `${name} is archived: it accepts no pushes.`,
        'Unarchive it at the forge, or choose another repository.',
      );
    const { isAllowed, words } = await forge.mayPush();
    if (isAllowed) return undefined;
    return shipError(
      'push-refused',
      `Ship’s token may not push to ${name}${saying(words)}`,
      `Set a token with write access to contents and pull requests of ${name} ${place}, or use ${await forkOf(forge)}.`,
      action,
    );
  } catch (error) {
    if (!(error instanceof ShipFailure)) throw error;
    if (error.error.code !== 'credentials-refused') return error.error;
    return shipError(
      'credentials-refused',
      `The forge does not accept Ship’s token for ${name}: it is wrong, revoked or has expired.`,
      `Set a valid token with write access to contents and pull requests ${place}.`,
      action,
    );
  }
}

/** The workaround for users without the right to push: the work is done in a fork, and a person proposes it from there. */
async function forkOf(forge: Forge): Promise<string> {
  const advice = await forge.fork();
  if (advice === null) return 'a fork of it';
  return advice.own === null
    ? `a fork of it: make one at ${advice.makeAt} and start the session with its address`
    : `a fork of it: start the session with yours, ${advice.own}`;
}
