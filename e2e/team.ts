/** The control plane in team mode, alone: what a deployment is, without anything that it would reach. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ControlPlane } from '../apps/control-plane/test/plant/control-plane.ts';

const CONFIG = fileURLToPath(new URL('../apps/control-plane/workerd.capnp', import.meta.url));
const PAGE = fileURLToPath(new URL('../apps/web/dist', import.meta.url));

export const OWNER_TOKEN = 'owner-token-of-the-tests-'.padEnd(40, '7');

export async function openTeam() {
  const folder = mkdtempSync(join(tmpdir(), 'ship-e2e-team-'));
  cpSync(PAGE, join(folder, 'page'), { recursive: true });
  const plane = await ControlPlane.start(
    folder,
    { LOCAL_TOKEN: '', SECRETS_KEYS: '0123456789abcdef'.repeat(4) },
    teamConfig(folder),
  );
  return {
    url: `http://ship.localhost:${plane.port}`,
    close: async () => {
      await plane.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What `ship deploy` sets as variables of the Worker is text in the file that workerd reads. */
function teamConfig(folder: string): string {
  const local = '(name = "AUTH_MODE", text = "local")';
  const team = `(name = "AUTH_MODE", text = "team"), (name = "OWNER_TOKEN", text = "${OWNER_TOKEN}")`;
  const file = join(folder, 'team.capnp');
  writeFileSync(file, readFileSync(CONFIG, 'utf8').replace(local, team));
  // It names the built Worker beside itself.
  symlinkSync(join(dirname(CONFIG), 'dist'), join(folder, 'dist'));
  return file;
}
