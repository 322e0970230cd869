/**
 * The few steps before bubblewrap, as one shell script: join the cgroups, put the layers together in a mount namespace
 * that dies with the sandbox, drop root. A script because these are calls that Node cannot make; short because every
 * program it starts costs a millisecond.
 */
import { FD, STAGE, STAGED } from './arguments.ts';
import type { HostTools } from './host-tools.ts';
import type { Identity } from './identity.ts';

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** fstab(5) writes blanks, tabs, newlines and backslashes as octal numbers. */
function escapeField(field: string): string {
  return field.replaceAll(
    /[\\ \t\n#]/g,
    (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

function mountLine(source: string, target: string, type: string, options: string): string {
  return [source, target, type, options].map(escapeField).join(' ') + ' 0 0';
}

export interface MountPlan {
  /** Top first, relative to the layers folder: the options are readable inside, so they must not name the host's folders. */
  lowers: readonly string[];
  upper: string;
  work: string;
  /** Relative to the layers folder too. */
  runtime: readonly [string, string];
  egressFolder: string | undefined;
}

/** dash counts file sizes in these. */
const ULIMIT_BLOCK_BYTES = 512;
/** mount(2) takes one page of options. */
const MAX_OPTIONS_BYTES = 4000;

export function mountTable(plan: MountPlan): string {
  const options = [
    `lowerdir=${plan.lowers.join(':')}`,
    `upperdir=${plan.upper}`,
    `workdir=${plan.work}`,
    // user.overlay.* attributes work for root and for an ordinary user alike, so layers can move between both.
    'userxattr',
    'X-mount.mkdir',
  ].join(',');
  if (Buffer.byteLength(options) > MAX_OPTIONS_BYTES) {
    throw new Error(
      `${plan.lowers.length} stacked snapshots are more than one mount can name; start from an earlier snapshot or from the template`,
    );
  }
  return [
    mountLine('tmpfs', STAGE, 'tmpfs', 'mode=0755,size=1m,nr_inodes=64'),
    mountLine('overlay', STAGED.root, 'overlay', options),
    mountLine(
      'overlay',
      STAGED.runtime,
      'overlay',
      `ro,lowerdir=${plan.runtime.join(':')},userxattr,X-mount.mkdir`,
    ),
    ...(plan.egressFolder === undefined
      ? []
      : [mountLine(plan.egressFolder, STAGED.egress, 'none', 'bind,X-mount.mkdir')]),
    '',
  ].join('\n');
}

export interface ScriptInput {
  tools: HostTools;
  identity: Identity;
  pidFile: string;
  layersFolder: string;
  mountTable: string;
  /** Files that take a pid: `cgroup.procs` of every controller. */
  cgroupFiles: readonly string[];
  insideCommand: readonly string[];
  /** No single file may grow past this; held by the kernel, where the sum is only watched. */
  maxFileBytes: number;
}

export function launchScript(input: ScriptInput): string {
  const { tools, identity } = input;
  const bwrap = `${tools.bwrap} --args ${FD.args} -- ${input.insideCommand.map(shellQuote).join(' ')}`;
  return [
    'set -e',
    `echo $$ > ${shellQuote(input.pidFile)}`,
    // A sandbox that could not join its limits must not run at all: `set -e` ends it here.
    ...input.cgroupFiles.map((file) => `echo $$ > ${shellQuote(file)}`),
    `cd ${shellQuote(input.layersFolder)}`,
    `${tools.mount} -a -T ${shellQuote(input.mountTable)}`,
    'cd /',
    'umask 022',
    // What is in the environment now can be read in /proc/1/environ inside.
    'unset OLDPWD',
    `ulimit -f ${Math.ceil(input.maxFileBytes / ULIMIT_BLOCK_BYTES)}`,
    identity.mode === 'root'
      ? `exec ${tools.setpriv} --reuid ${identity.makerUid} --regid ${identity.makerUid} --clear-groups -- ${bwrap}`
      : `exec ${bwrap}`,
  ].join('\n');
}

/** The command line that runs the script with the namespaces it needs. */
export function launchCommand(tools: HostTools, identity: Identity, script: string): string[] {
  const namespaces =
    identity.mode === 'root' ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  return [tools.unshare, ...namespaces, '--', tools.sh, '-c', script];
}
