import {
  type InstallPolicy,
  type RepositoryScope,
  SETUP_SCRIPT,
  choosePreparation,
  inEnvironment,
  installCommand,
} from '@ship/core';
import type { Egress, SandboxPort } from '../sandbox/port.ts';
import { sha256Hex } from '../platform/bytes.ts';
import { type SubmoduleAccess, initializeSubmodules } from '../git/submodules.ts';
import { clone } from '../git/work/clone.ts';
import { type Shell, failed, sandboxShell, script } from '../git/work/shell.ts';
import { takeInventory } from './listing-script.ts';
import { KEY_ARGUMENTS, KEY_FUNCTION, MARK_SUFFIX } from './mark.ts';
import type { KeptSetup } from './port.ts';

/** A builder whose creator died ends after this, and with it its lock. */
const BUILDER_TIMEOUT_MS = 25 * 60_000;
const SCRIPT_MS = 120_000;
const TEMPLATE = 'base';
const AUTHOR = { name: 'Ship', email: 'ship@users.noreply.local' };

/** Reads the base commit's setup: the commit, the key, whether it has a script. */
const READ_BASE = `${KEY_FUNCTION}
set -e
cd "$1"
shift
printf '%s\\0' "$(git rev-parse --verify 'HEAD^{commit}')" "$(setup_key "$@")"
if [ -f ${SETUP_SCRIPT} ]; then printf yes; fi
printf '\\0'
exit 0`;

/**
 * Keeps only what the setup made: each session brings the repository itself, newer and on its own branch, and its submodules,
 * in the arguments after the third, the innermost first. Deleting \`.git\` also deletes the address with its capability. The
 * mark is written last: a result without one does not count.
 */
const STRIP = `set -eu
folder=$1 mark=$2 text=$3
shift 3
for part in "$@" .; do
  cd "$folder/$part"
  git ls-files -s -z | sed -zn '/^160000 /!s/^[^\t]*\t//p' | xargs -0 -r rm -f --
  rm -rf "$folder/$part/.git"
done
rm -f /tmp/ship-*.log
printf '%s' "$text" > "$mark"`;

export interface SetupSource {
  /** One builder at a time works on this name. */
  lock: string;
  folder: string;
  /** The repository's location as people gave it, and the names of its secrets. */
  repository: Omit<RepositoryScope, 'folder'>;
  /** Where the repository's mirror is, if it has one. */
  mirror: string;
  /** An address that the sandbox can reach. */
  remote: string;
  base: string;
  /** Access to other repositories, for submodules; undefined where none are fetched. */
  submodules: SubmoduleAccess | undefined;
  egress: Egress;
  now: () => number;
  /** The command of the settings; null when the repository decides. */
  setting: string | null;
  /** The install policy for a repository without a setup. */
  policy: InstallPolicy;
  /** The name for what is made from inputs with this key. */
  nameOf: (key: string) => Promise<string>;
  /** Runs the setup; false when it failed. */
  setUp: (sandboxId: string, command: string) => Promise<boolean>;
}

export type BuiltSetup = Pick<
  KeptSetup,
  'name' | 'key' | 'baseSha' | 'command' | 'setupMs' | 'madeAt'
>;

/**
 * Sets a repository up for later sessions: in a sandbox that no session has touched, from a fresh clone of the base. The
 * command, too, is read there and in the settings, never in the sandbox of a session, which its agent can write to. One builder
 * at a time holds a lock; one that dies changes nothing.
 */
export async function buildSetup(
  port: Pick<SandboxPort, 'createBuilder' | 'run' | 'capture' | 'destroy'>,
  source: SetupSource,
): Promise<BuiltSetup | 'busy' | 'nothing' | 'failed'> {
  const { lock, folder, remote, base, now, egress, setting, policy } = source;
  const sandboxId = await port.createBuilder({
    name: lock,
    template: TEMPLATE,
    preferred: [source.mirror],
    timeoutMs: BUILDER_TIMEOUT_MS,
    egress,
  });
  if (sandboxId === undefined) return 'busy';
  try {
    const shell = sandboxShell(port, sandboxId);
    const shallow = { kind: 'shallow' } as const;
    await clone(shell, { remote, folder, base, plan: shallow, author: AUTHOR });
    const { baseSha, key: inputs, ...facts } = await readBase(shell, folder, setting ?? '');
    const { initialized } = await initializeSubmodules(shell, folder, source.submodules, now);
    const submodules = initialized.map(({ path }) => path);
    const place = { ...source.repository, folder };
    const inventory = await takeInventory(port, sandboxId, folder);
    const all = { setting, policy, place, verifySetting: null, ...facts, ...inventory };
    const { setup, plan, team } = choosePreparation(all);
    const command = setup?.command ?? installCommand(plan.install);
    if (command === '') return 'nothing';
    const key = await setupKey(inputs, setup === null ? command : null, submodules);
    const startedAt = now();
    const whole = inEnvironment(team, setup?.script ?? command);
    if (!(await source.setUp(sandboxId, whole))) return 'failed';
    const made = { setupMs: now() - startedAt, madeAt: now() };
    const name = await source.nameOf(key);
    const args = [folder, `${folder}${MARK_SUFFIX}`, name, ...submodules.toReversed()];
    const stripped = await script(shell, STRIP, args, { timeoutMs: SCRIPT_MS });
    if (stripped.exitCode !== 0) failed('save the setup', stripped);
    await port.capture(sandboxId, name);
    return { name, key, baseSha, command, ...made };
  } finally {
    await port.destroy(sandboxId);
  }
}

async function readBase(shell: Shell, folder: string, setting: string) {
  const outcome = await script(shell, READ_BASE, [folder, setting, ...KEY_ARGUMENTS]);
  if (outcome.exitCode !== 0) failed('read the repository', outcome);
  const [baseSha = '', key = '', hasScript = ''] = outcome.stdout.split('\0');
  return {
    baseSha,
    key,
    hasOwnScript: hasScript === 'yes',
  };
}

/**
 * `inputs`: the key of the files that a setup depends on. An install command also depends on settings and programs of the
 * sandbox, and the submodules depend on what people added to Ship: the files do not show that.
 */
export async function setupKey(
  inputs: string,
  install: string | null,
  submodules: readonly string[],
): Promise<string> {
  const key = install === null ? inputs : await sha256Hex(`${inputs} ${install}`);
  return submodules.length === 0 ? key : sha256Hex(`${key} ${JSON.stringify(submodules)}`);
}
