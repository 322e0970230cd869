import type { SandboxPort } from '../sandbox/port.ts';
import { sha256Hex } from '../platform/bytes.ts';
import type { SetupScope } from './port.ts';

const TEMPLATE = 'base';
/** Change it when setups are saved in another way: then nothing that an older Ship saved is used. */
const FORMAT = 'setup-2';

export interface SetupNameInput {
  scope: SetupScope;
  /** A hash of the setup's command and inputs, as of the base commit. */
  key: string;
  /** The setup may have written them to the disk: other secrets need another result. */
  secrets: Record<string, string>;
  /** Keeps the hashed secrets from being guessed: the name is public. */
  salt: string;
}

/** The name of a setup's result: a hash of everything that went into it. */
export async function setupName(
  port: Pick<SandboxPort, 'buildOf'>,
  { scope, key, secrets, salt }: SetupNameInput,
): Promise<string> {
  const { repository, base, provider } = scope;
  const known = Object.entries(secrets).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // A service that does not report its builds: then an outdated result is detected by its age.
  const build = await port.buildOf(TEMPLATE).catch(() => '');
  const text = JSON.stringify([FORMAT, salt, repository, base, provider, build, known, key]);
  return `ship-setup-${(await sha256Hex(text)).slice(0, 32)}`;
}
