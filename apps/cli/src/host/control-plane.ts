import { CONTROL_FD, type LaunchBindings, launchCommand } from '@ship/control-plane/launch';
import type { DataFolder } from './data-folder.ts';
import { killWithParent } from './kill-with-parent.ts';
import { LogFile } from './log-file.ts';
import type { Listeners } from './listeners.ts';
import { STATUS_SOCKET } from './status-server.ts';
import { SupervisedProcess } from './supervised-process.ts';

/** Supervises workerd with the control plane's bundle, its objects on disk and the built web app, on the user-facing port. */
export function superviseControlPlane(
  data: DataFolder,
  { port, listeners }: { port: number; listeners: Listeners },
  pageFolder: string,
  bindings: LaunchBindings,
): SupervisedProcess {
  const launch = launchCommand({
    port,
    ipv6: listeners.ipv6 !== undefined,
    inheritsListeners: true,
    objectsFolder: data.folder('objects'),
    artifactsFolder: data.folder('artifacts'),
    pageFolder,
    hostSocket: STATUS_SOCKET,
    bindings,
  });
  const log = new LogFile(data.folder('logs'), 'control-plane.log');
  return new SupervisedProcess({
    name: 'control-plane',
    ...killWithParent(launch),
    cwd: data.folder('run'),
    // Only the variables in bindings.ts: the control plane must not get other secrets of the user's shell.
    env: { PATH: process.env.PATH, TZ: process.env.TZ, ...launch.env },
    controlFd: CONTROL_FD,
    inherited: [listeners.ipv4, ...(listeners.ipv6 === undefined ? [] : [listeners.ipv6])],
    isReady: (line) => line.includes('"listen"') && line.includes('"ipv4"'),
    onLine: (line) => log.write(line),
  });
}
