import type { SandboxPort } from '../sandbox/port.ts';
import { sha256Hex } from '../platform/bytes.ts';
import type { SetupSpot } from './port.ts';

const TEMPLATE = 'base';
/** Another one when what is kept is made in another way: nothing that an older Ship kept is used then. */
const FORMAT = 'setup-2';

export interface NameParts {
  spot: SetupSpot;
  /** Of the setup's command and inputs, as the base commit has them. */
  key: string;
  /** The setup may have written them to the disk: with other ones its result is another. */
  secrets: Record<string, string>;
  /** Keeps what is hashed from being guessed: the name is no secret. */
  salt: string;
}

/** What the result of a setup is called: a hash of all that went into it. */
export async function setupName(
  port: Pick<SandboxPort, 'buildOf'>,
  { spot, key, secrets, salt }: NameParts,
): Promise<string> {
  const { repository, base, provider } = spot;
  const known = Object.entries(secrets).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // A service that does not tell its builds: then an old one is noticed by its age.
  const build = await port.buildOf(TEMPLATE).catch(() => '');
  const text = JSON.stringify([FORMAT, salt, repository, base, provider, build, known, key]);
  return `ship-setup-${(await sha256Hex(text)).slice(0, 32)}`;
}
