/** Checks whether this machine can isolate, by a real run with the strict profile; a failure names the command that fixes it. */
import { mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Capabilities, IsolationBackend, LayerStore, Unusable } from '../backend.ts';
import type { Cgroups } from '../cgroups/index.ts';
import { runInside } from '../run-inside.ts';
import { writeSkeleton } from '../../templates/skeleton.ts';
import type { FileOwner } from './file-owner.ts';
import { missingPackages } from './host-tools.ts';
import type { Machine } from './start.ts';

const PROBE_LAYER = 'probe';
const LIMITS = { memoryMb: 256, cpuCount: 1, processes: 64, diskMb: 64 };
const USE_CLOUD = "use E2B's cloud instead: set E2B_API_KEY and leave E2B_API_URL unset";

/** Kernel settings for user namespaces; undefined when the kernel has no such setting. */
export interface KernelSwitches {
  platform: string;
  unprivilegedUserns: string | undefined;
  apparmorRestriction: string | undefined;
  maxUserNamespaces: string | undefined;
}

function readSwitch(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function kernelSwitches(): KernelSwitches {
  return {
    platform: process.platform,
    unprivilegedUserns: readSwitch('/proc/sys/kernel/unprivileged_userns_clone'),
    apparmorRestriction: readSwitch('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    maxUserNamespaces: readSwitch('/proc/sys/user/max_user_namespaces'),
  };
}

const APPARMOR_PROFILE = [
  "printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\n",
  'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }\\n',
  "profile unshare /usr/bin/unshare flags=(unconfined) { userns, }\\n'",
  ' | sudo tee /etc/apparmor.d/ship-sandbox && sudo apparmor_parser -r /etc/apparmor.d/ship-sandbox',
].join('');

/** The reason in one sentence, and one command. */
export function explainFailure(message: string, switches: KernelSwitches): Unusable {
  const reason = message.slice(0, 600);
  if (switches.platform !== 'linux') {
    return {
      reason: `sandboxes need Linux namespaces; this is ${switches.platform}`,
      remedy: USE_CLOUD,
    };
  }
  if (switches.unprivilegedUserns === '0') {
    return { reason, remedy: 'sudo sysctl -w kernel.unprivileged_userns_clone=1' };
  }
  if (switches.maxUserNamespaces === '0') {
    return { reason, remedy: 'sudo sysctl -w user.max_user_namespaces=15000' };
  }
  if (switches.apparmorRestriction === '1') return { reason, remedy: APPARMOR_PROFILE };
  if (/overlay/i.test(message)) {
    return {
      reason,
      remedy:
        'put the data folder on ext4, XFS or btrfs (--data DIR), on a kernel of 5.11 or newer',
    };
  }
  if (/proc/i.test(message) && /mount/i.test(message)) {
    return {
      reason,
      remedy:
        'this container masks /proc: run on the host, or with --security-opt systempaths=unconfined',
    };
  }
  if (/not permitted|permission denied|no permissions/i.test(message)) {
    return {
      reason,
      remedy: `allow user namespaces for this container or user; otherwise ${USE_CLOUD}`,
    };
  }
  return { reason, remedy: USE_CLOUD };
}

/** Magic numbers of statfs(2): btrfs, XFS, bcachefs. */
const SHARING_FILE_SYSTEMS = [0x9123683e, 0x58465342, 0xca451a4e];

/** Whether a copy of a file can share its blocks with the original. */
const canShareBlocks = (folder: string): boolean =>
  SHARING_FILE_SYSTEMS.includes(statfsSync(folder).type);

/** The limits that hold on this machine, and how they are enforced. */
export function describeLimits(
  cgroups: Pick<Cgroups, 'controllers' | 'version'>,
  owner: Pick<FileOwner, 'mode' | 'weakness'>,
  sharesBlocks: boolean,
): Capabilities {
  const has = (name: 'memory' | 'cpu' | 'pids' | 'freezer') => cgroups.controllers.has(name);
  const cgroupRemedy =
    owner.mode === 'root'
      ? 'mount the cgroup controllers memory, cpu and pids'
      : 'start it in a scope of your own: systemd-run --user --scope -p Delegate=yes npm start';
  const notes = [
    ...(has('memory')
      ? []
      : [`memory is watched every 2 s instead of limited by the kernel: ${cgroupRemedy}`]),
    ...(has('cpu') ? [] : [`processor time is not limited: ${cgroupRemedy}`]),
    ...(has('freezer') ? [] : ['pausing stops processes by signals, which they can see']),
    ...(owner.weakness === undefined
      ? []
      : [
          `"root" and "user" are one id inside, so a sandbox is protected from its own commands by mounts alone: ${owner.weakness}`,
        ]),
    ...(sharesBlocks
      ? []
      : [
          'a snapshot of a running sandbox copies what it changed: put the data folder on btrfs or XFS to share it',
        ]),
    'disk use is watched every 2 s: a sandbox over its limit loses its running commands until it has freed space',
  ];
  return {
    backend: 'bubblewrap',
    limits: {
      memory: has('memory') ? 'hard' : 'soft',
      cpu: has('cpu') ? 'hard' : 'none',
      // Without the pids controller, an rlimit of the uid inside its user namespace does it, also in the kernel.
      processes: 'hard',
      disk: 'soft',
    },
    separateRoot: owner.mode !== 'single',
    notes,
  };
}

const CHECK =
  'grep -q "^NoNewPrivs:.1" /proc/self/status && grep -q "^Seccomp:.2" /proc/self/status';

export async function probeMachine(
  backend: IsolationBackend & LayerStore,
  machine: Machine,
): Promise<Capabilities | Unusable> {
  const switches = kernelSwitches();
  if (switches.platform !== 'linux') return explainFailure('', switches);
  const missing = missingPackages();
  if (missing.length > 0) {
    return {
      reason: `missing programs of: ${missing.join(', ')}`,
      remedy: `sudo apt-get install -y ${missing.join(' ')}`,
    };
  }
  const id = `probe-${process.pid}`;
  const egress = join(machine.layout.root, 'probe', id);
  mkdirSync(egress, { recursive: true });
  try {
    if (!(await backend.hasLayer(PROBE_LAYER)))
      await backend.importLayer(PROBE_LAYER, writeSkeleton);
    const egressSocket = join(egress, 'none.sock');
    await backend.start({
      id,
      layer: PROBE_LAYER,
      limits: LIMITS,
      env: {},
      accessToken: undefined,
      egressSocket,
    });
    const { exitCode } = await runInside(backend, id, {
      command: ['/bin/sh', '-c', CHECK],
      timeoutMs: 10_000,
    });
    if (exitCode !== 0)
      return { reason: 'processes inside run without the seccomp filter', remedy: USE_CLOUD };
    return describeLimits(machine.cgroups, machine.owner, canShareBlocks(machine.layout.root));
  } catch (error) {
    return explainFailure(error instanceof Error ? error.message : String(error), switches);
  } finally {
    await backend.destroy(id).catch(() => {});
    rmSync(join(machine.layout.root, 'probe'), { recursive: true, force: true });
  }
}
