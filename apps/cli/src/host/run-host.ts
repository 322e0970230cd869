// Imports single files instead of whole packages: the packages are a hundred files more that every start would load.
import { EDITOR_INTEGRITY, EDITOR_VERSION, SHARED_EDITOR_FOLDER } from '@ship/core/editor';
import type { PartHealth } from '@ship/protocol';
import { loadDemoScript } from '../serve/demo-model.ts';
import { untilSignalled } from '../serve/signals.ts';
import type { ToolchainChoice } from '../toolchain-names.ts';
import { WEB_APP_FOLDER, dataFolderAt } from '../paths.ts';
import { controlPlaneBindings } from './bindings.ts';
import { superviseControlPlane } from './control-plane.ts';
import { DataFolder } from './data-folder.ts';
import { demoTask } from './demo-task.ts';
import { EditorInstaller } from './editor/installer.ts';
import { npmInstaller } from './editor/npm.ts';
import { onLauncherExit } from './launcher.ts';
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
import { stopComponents } from './stop-components.ts';
import { templatesFolder } from './templates-folder.ts';

export interface HostOptions {
  port: number;
  dataFolder: string;
  openBrowser: boolean;
  /** Default: true. */
  registryGateway?: boolean;
  /** A script for the demo model that replaces its own. */
  demoScript?: string;
  /** Allow-list entries for hosts at private addresses. */
  allowPrivate: readonly string[];
  /** Compilers and runtimes of this machine that sandboxes may use. */
  toolchains: ToolchainChoice;
  /** A folder with the owner's own sandbox templates. */
  templates?: string;
}

/** Runs Ship on this machine until a stop signal: locks the data folder, starts the components, waits, stops them. */
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
    const components: Component[] = [sandboxes, forge, demoModel];
    const hostHealth = healthOfThisProcess();
    const status = new StatusServer(data, {
      parts: () => [hostHealth, ...components.map((p) => p.health())],
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
      // Started last, because workerd gets the others' addresses. The sandbox server may still build its first template.
      const services = { sandboxes: addresses, forge: runningForge, demoModel: runningModel, url };
      const bindings = controlPlaneBindings(data, services, process.env);
      const ingress = { port: options.port, listeners };
      const controlPlane = superviseControlPlane(data, ingress, WEB_APP_FOLDER, bindings);
      components.unshift(controlPlane);
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
      // Close the listeners last: until then a browser gets an answer instead of a refused connection.
      problems.push(
        ...(await stopComponents([
          { name: 'the editor installer', stop: () => editor.stop() },
          ...components.map((one) => ({ name: one.health().name, stop: () => one.stop() })),
        ])),
        ...(await stopComponents([
          { name: 'the listener', stop: () => listeners.close() },
          { name: 'the status server', stop: () => status.close() },
        ])),
      );
    }
  } finally {
    problems.push(
      ...(await stopComponents([{ name: 'the data folder', stop: () => data.close() }])),
    );
  }
  if (problems.length > 0) {
    for (const problem of problems) process.stderr.write(`ship: ${problem}\n`);
    process.exitCode = 1;
  }
  process.stdout.write('ship: stopped\n');
}

/**
 * Prints a link only to a terminal: other users may be able to read a file or a journal, and the link signs in for 10 minutes.
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
  const installPackage = npmInstaller(
    { version: EDITOR_VERSION, integrity: EDITOR_INTEGRITY },
    (line) => log.write(line),
  );
  return new EditorInstaller({
    folder: data.folder('editor'),
    version: EDITOR_VERSION,
    installPackage,
  });
}

interface Component {
  health(): PartHealth;
  stop(): Promise<void>;
}

function healthOfThisProcess(): PartHealth {
  const since = new Date().toISOString();
  return { name: 'host', state: 'up', since, restarts: 0, detail: `process ${process.pid}` };
}

function untilStopRequested(): Promise<string> {
  const launcherDied = new Promise<string>((resolve) => {
    onLauncherExit(() => resolve('the program that started it has ended'));
  });
  return Promise.race([untilSignalled(), launcherDied]);
}
