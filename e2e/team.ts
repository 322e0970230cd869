/** The control plane in team mode with the built web app: a deployment without the services around it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Team } from '../apps/control-plane/test/harness/team.ts';

export { OWNER_TOKEN } from '../apps/control-plane/test/harness/team.ts';

const PAGE = fileURLToPath(new URL('../apps/web/dist', import.meta.url));

export async function openTeam() {
  const folder = mkdtempSync(join(tmpdir(), 'ship-e2e-team-'));
  cpSync(PAGE, join(folder, 'page'), { recursive: true });
  const team = await Team.open({}, folder);
  return {
    url: team.origin,
    close: async () => {
      await team.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
