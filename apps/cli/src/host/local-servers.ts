import { type Script, startDemoModel } from '@ship/demo-model';
import { ForgeFailure, startForge } from '@ship/forge';
import { gitIdentity } from '../git-identity.ts';
import type { DataFolder } from './data-folder.ts';
import { LocalServer } from './local-server.ts';
import { LogFile } from './log-file.ts';

/** The one user of the local forge. */
const LOGIN = 'local';

/** The local forge: pull requests and git remotes without an account. The web app shows its pages below `/forge`. */
export function forgeServer(data: DataFolder, pageUrl: string) {
  return new LocalServer('forge', async () => {
    const log = new LogFile(data.folder('logs'), 'forge.log');
    const identity = gitIdentity();
    try {
      return await startForge({
        root: data.folder('forge'),
        login: LOGIN,
        ...identity,
        tokens: [{ token: data.secret('forge-token'), login: LOGIN, ...identity }],
        htmlUrl: `${pageUrl}/forge`,
        log: (line) => log.write(line),
      });
    } catch (error) {
      if (!(error instanceof ForgeFailure)) throw error;
      throw new Error(`${error.message}. ${error.remedy}`, { cause: error });
    }
  });
}

/** The demo model, which needs no key and no network. */
export function demoModelServer(script: Script | undefined) {
  return new LocalServer('demo-model', () =>
    startDemoModel(script === undefined ? {} : { script }),
  );
}
