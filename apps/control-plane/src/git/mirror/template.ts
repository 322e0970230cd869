/**
 * Where a sandbox has the mirror of its repository, if it was created from one. A private copy: other sandboxes cannot see it.
 */
export const MIRROR_FOLDER = '/var/lib/ship/mirror.git';
/** A file in the mirror with the time of its last update, in ms. */
export const MADE_AT = 'ship-made-at';

/** The template with the mirror of a repository: one per repository, derived from its location alone. */
export async function mirrorTemplate(location: string): Promise<string> {
  const bytes = new TextEncoder().encode(location);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = [...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `ship-mirror-${hex.join('')}`;
}
