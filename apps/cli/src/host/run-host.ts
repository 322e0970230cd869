// Of our own packages only what is needed: all of them are a hundred files more that every start would wait for.
import { EDITOR_INTEGRITY, EDITOR_VERSION, SHARED_EDITOR_FOLDER } from '@ship/core/editor';
import type { PartHealth } from '@ship/protocol';
import { loadDemoScript } from '../serve/demo-model.ts';
import { untilSignalled } from '../serve/signals.ts';
import type { ToolchainChoice } from '../toolchain-names.ts';
import { PAGE_FOLDER, dataFolderAt } from '../where.ts';
import { controlPlaneBindings } from './bindings.ts';
import { superviseControlPlane } from './control-plane.ts';
import { DataFolder } from './data-folder.ts';
import { demoTask } from './demo-task.ts';
import { EditorInstaller } from './editor/installer.ts';
import { npmSource } from './editor/npm.ts';
import { whenLauncherDies } from './launcher.ts';
import { demoModelServer, forgeServer } from './local-servers.ts';
import { openListeners } from './listeners.ts';
import { LogFile } from './log-file.ts';
import { machineNetwork } from './machine-network.ts';
import { openInBrowser } from './open-browser.ts';
import { requireFreePort } from './port.ts';
import { readyText } from './ready.ts';
import { SandboxService } from './sandbox-service.ts';
import { signInLink } from './sign-in-link.ts';
import { StatusServer } from './status-server.ts';
import { stopParts } from './stop-parts.ts';
import { templatesFolder } from './templates-folder.ts';

export interface HostOptions {
  port: number;
  dataFolder: string;
  openBrowser: boolean;
  /** Default: true. */
  registryGateway?: boolean;
  /** What the demo model says, in place of its own script. */
  demoScript?: string;
  /** Entries of the allow-list for hosts at private addresses. */
  allowPrivate: readonly string[];
  /** Which compilers and runtimes of this machine sandboxes may use. */
  toolchains: ToolchainChoice;
  /** A folder with the owner's own sandbox templates. */
  templates?: string;
}

/** Runs Ship on this machine until it is told to stop: takes the data folder, starts the parts, waits, ends them. */
export async function runHost(options: HostOptions): Promise<void> {
  const { demoScript } = options;
  const script = demoScript === undefined ? undefined : await loadDemoScript(demoScript);
  const templatesDir = templatesFolder(options.templates);
  const data = DataFolder.open(dataFolderAt(options.dataFolder));
  const stopRequested = untilStopRequested();
  const problems: string[] = [];
  try {
    await requireFreePort(options.port);
    const listeners = await openListeners(options.port);
    const url = `http://ship.localhost:${options.port}`;
    data.announce({ pid: process.pid, url });
    const editor = editorInstaller(data);
    const { warnings, ...network } = machineNetwork(process.env);
    for (const warning of warnings) process.stderr.write(`ship: warning: ${warning}\n`);
    const sandboxes = new SandboxService(data, options.port, {
      shared: [{ source: editor.sharedFolder, target: SHARED_EDITOR_FOLDER }],
      network: { ...network, allow: options.allowPrivate },
      toolchains: options.toolchains,
      ...(templatesDir === undefined ? {} : { templatesDir }),
      registryGateway: options.registryGateway ?? true,
    });
    const forge = forgeServer(data, url);
    const demoModel = demoModelServer(script);
    const parts: Part[] = [sandboxes, forge, demoModel];
    const hostHealth = healthOfThisProcess();
    const status = new StatusServer(data, {
      parts: () => [hostHealth, ...parts.map((p) => p.health())],
      editor: { status: () => editor.status(), install: () => editor.install() },
      demo: (name) => demoTask(dataFolderAt(options.dataFolder), name),
    });
    try {
      await status.listen();
      const [addresses, runningForge, runningModel] = await Promise.all([
        sandboxes.open(),
        forge.start(),
        demoModel.start(),
      ]);
      // Last, as workerd is told where the others are. The sandbox server may still be preparing its first template.
      const around = { sandboxes: addresses, forge: runningForge, demoModel: runningModel, url };
      const bindings = controlPlaneBindings(data, around, process.env);
      const ingress = { port: options.port, listeners };
      const controlPlane = superviseControlPlane(data, ingress, PAGE_FOLDER, bindings);
      parts.unshift(controlPlane);
      controlPlane.start();
      const linked = controlPlane.untilReady().then(() => linkFor(url, options, data));
      const started = Promise.all([linked, sandboxes.untilSettled()]);
      const [link] = await Promise.race([started, stopRequested.then(() => [undefined])]);
      if (controlPlane.health().state === 'up') {
        process.stdout.write(readyText({ url, link, dataFolder: options.dataFolder }));
        if (options.openBrowser && link !== undefined) void openInBrowser(link);
      }
      const reason = await stopRequested;
      process.stdout.write(`ship: stopping (${reason})\n`);
    } finally {
      // The listeners last: until then a browser gets an answer instead of a refused connection.
      problems.push(
        ...(await stopParts([
          { name: 'the editor installer', stop: () => editor.stop() },
          ...parts.map((part) => ({ name: part.health().name, stop: () => part.stop() })),
        ])),
        ...(await stopParts([
          { name: 'the listener', stop: () => listeners.close() },
          { name: 'the status server', stop: () => status.close() },
        ])),
      );
    }
  } finally {
    problems.push(...(await stopParts([{ name: 'the data folder', stop: () => data.close() }])));
  }
  if (problems.length > 0) {
    for (const problem of problems) process.stderr.write(`ship: ${problem}\n`);
    process.exitCode = 1;
  }
  process.stdout.write('ship: stopped\n');
}

/**
 * For a terminal only: redirected, the output is in a file or a journal that other users may read, and a link signs in for
 * 10 minutes.
 */
async function linkFor(
  url: string,
  { port }: HostOptions,
  data: DataFolder,
): Promise<string | undefined> {
  return process.stdout.isTTY ? signInLink(url, port, data.secret('local-token')) : undefined;
}

function editorInstaller(data: DataFolder): EditorInstaller {
  const log = new LogFile(data.folder('logs'), 'editor.log');
  const bring = npmSource({ version: EDITOR_VERSION, integrity: EDITOR_INTEGRITY }, (line) =>
    log.write(line),
  );
  return new EditorInstaller({ folder: data.folder('editor'), version: EDITOR_VERSION, bring });
}

interface Part {
  health(): PartHealth;
  stop(): Promise<void>;
}

function healthOfThisProcess(): PartHealth {
  const since = new Date().toISOString();
  return { name: 'host', state: 'up', since, restarts: 0, detail: `process ${process.pid}` };
}

function untilStopRequested(): Promise<string> {
  const launcherDied = new Promise<string>((resolve) => {
    whenLauncherDies(() => resolve('the program that started it has ended'));
  });
  return Promise.race([untilSignalled(), launcherDied]);
}
