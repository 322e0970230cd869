import { type ShipError, ShipFailure, shipError } from '@ship/protocol';
import type { Forge } from './port.ts';

/**
 * Whether a session could deliver at the end, asked at its beginning: a token that may only read would otherwise show
 * after the work is done. Undefined when nothing stands in the way.
 */
export async function preflight(forge: Forge): Promise<ShipError | undefined> {
  const name = `${forge.owner}/${forge.name}`;
  const settings = forge.kind === 'github' ? 'GITHUB_TOKEN' : 'FORGE_TOKEN';
  try {
    const { isArchived, movedTo } = await forge.repository();
    if (movedTo !== null)
      return shipError(
        'not-found',
        `${name} is called ${movedTo} now.`,
        `Give the session its new address: git does not follow from the old one.`,
      );
    if (isArchived)
      return shipError(
        'repository-archived',
        `${name} is archived: nobody can push to it.`,
        'Unarchive it at the forge, or choose another repository.',
      );
    if (await forge.mayPush()) return undefined;
    return shipError(
      'push-refused',
      `Ship’s token may not push to ${name}.`,
      `Give ${settings} a token with write access to contents and pull requests of ${name}, or use a fork of it.`,
    );
  } catch (error) {
    if (!(error instanceof ShipFailure)) throw error;
    if (error.error.code !== 'credentials-refused') return error.error;
    return shipError(
      'credentials-refused',
      `The forge does not accept Ship’s token for ${name}: it is wrong, revoked or has expired.`,
      `Set ${settings} to a valid token with write access to contents and pull requests.`,
    );
  }
}
