import type { PartHealth } from '@ship/protocol';
import { loadDemoScript } from '../serve/demo-model.ts';
import { PAGE_FOLDER, fromUsersFolder } from '../where.ts';
import { controlPlaneBindings } from './bindings.ts';
import { superviseControlPlane } from './control-plane.ts';
import { DataFolder } from './data-folder.ts';
import { demoTask } from './demo-task.ts';
import { whenLauncherDies } from './launcher.ts';
import { demoModelServer, forgeServer } from './local-servers.ts';
import { openInBrowser } from './open-browser.ts';
import { requireFreePort } from './port.ts';
import { SandboxService } from './sandbox-service.ts';
import { StatusServer } from './status-server.ts';

export interface HostOptions {
  port: number;
  dataFolder: string;
  openBrowser: boolean;
  /** What the demo model says, in place of its own script. */
  demoScript?: string;
}

/** Runs Ship on this machine until it is told to stop: takes the data folder, starts the parts, waits, ends them. */
export async function runHost(options: HostOptions): Promise<void> {
  const { demoScript } = options;
  const script = demoScript === undefined ? undefined : await loadDemoScript(demoScript);
  const data = DataFolder.open(fromUsersFolder(options.dataFolder));
  const stopRequested = untilToldToStop();
  try {
    await requireFreePort(options.port);
    const url = `http://ship.localhost:${options.port}`;
    data.announce({ pid: process.pid, url });
    const sandboxes = new SandboxService(data, options.port);
    const forge = forgeServer(data, url);
    const demoModel = demoModelServer(script);
    const parts: Part[] = [sandboxes, forge, demoModel];
    const hostHealth = healthOfThisProcess();
    const status = new StatusServer(data, {
      parts: () => [hostHealth, ...parts.map((p) => p.health())],
      demo: (name) => demoTask(fromUsersFolder(options.dataFolder), name),
    });
    try {
      await status.listen();
      const [addresses, runningForge, runningModel] = await Promise.all([
        sandboxes.open(),
        forge.start(),
        demoModel.start(),
      ]);
      // Last, as workerd is told where the others are. The sandbox server may still be preparing its first template.
      const around = { sandboxes: addresses, forge: runningForge, demoModel: runningModel };
      const bindings = controlPlaneBindings(data, around, process.env);
      const controlPlane = await superviseControlPlane(data, options.port, PAGE_FOLDER, bindings);
      parts.unshift(controlPlane);
      controlPlane.start();
      const started = Promise.all([controlPlane.untilReady(), sandboxes.untilSettled()]);
      await Promise.race([started, stopRequested]);
      if (controlPlane.health().state === 'up') {
        process.stdout.write(`ship: ready ${url}\n`);
        if (options.openBrowser) openInBrowser(url);
      }
      const reason = await stopRequested;
      process.stdout.write(`ship: stopping (${reason})\n`);
    } finally {
      await Promise.all(parts.map((part) => part.stop()));
      status.close();
    }
  } finally {
    data.close();
  }
  process.stdout.write('ship: stopped\n');
}

interface Part {
  health(): PartHealth;
  stop(): Promise<void>;
}

function healthOfThisProcess(): PartHealth {
  const since = new Date().toISOString();
  return { name: 'host', state: 'up', since, restarts: 0, detail: `process ${process.pid}` };
}

function untilToldToStop(): Promise<string> {
  return new Promise((tell) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => tell(signal));
    whenLauncherDies(() => tell('the program that started it has ended'));
  });
}
