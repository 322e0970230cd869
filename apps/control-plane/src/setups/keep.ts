import type { Egress, SandboxPort } from '../sandbox/port.ts';
import { clone } from '../git/work/clone.ts';
import { failed, sandboxShell, script } from '../git/work/shell.ts';
import { KEY_ARGUMENTS, KEY_FUNCTION, MARK_SUFFIX } from './mark.ts';

/** A keeper that outlives whoever made it ends after this, and with it its claim on the name. */
const KEEPER_MS = 25 * 60_000;
const SCRIPT_MS = 120_000;
const TEMPLATE = 'base';
const NOBODY = { name: 'Ship', email: 'ship@users.noreply.local' };

const KEY = `${KEY_FUNCTION}
cd "$1" && shift && setup_key "$@"`;

/**
 * Only what the setup made stays: the repository itself comes with each session, newer and on its own branch. With \`.git\`
 * goes the address, which has a capability in it. The mark comes last: a result without one is none.
 */
const STRIP = `set -eu
folder=$1 mark=$2 text=$3
cd "$folder"
git ls-files -z | xargs -0 -r rm -f --
rm -rf "$folder/.git"
rm -f /tmp/ship-*.log
printf '%s' "$text" > "$mark"`;

export interface SetupWish {
  name: string;
  folder: string;
  /** Where the repository's mirror is, if it has one. */
  mirror: string;
  /** An address that the sandbox can reach. */
  remote: string;
  base: string;
  egress: Egress;
  now: () => number;
  /** The text that the key is made of besides the files. */
  setting: string;
  /** Runs the setup; false when it failed. */
  setUp: (sandboxId: string) => Promise<boolean>;
}

/**
 * Sets a repository up for the sessions to come: in a sandbox of its own, so that nothing of a session is in it, neither
 * its agent nor its work nor what it was given to reach us. One at a time works on a name; one that dies changes nothing.
 */
export async function keepSetup(
  port: Pick<SandboxPort, 'createKeeper' | 'run' | 'capture' | 'destroy'>,
  wish: SetupWish,
): Promise<{ setupMs: number; madeAt: number } | 'busy' | 'failed'> {
  const { name, folder, remote, base, now, egress } = wish;
  const sandboxId = await port.createKeeper({
    name,
    template: TEMPLATE,
    preferred: [wish.mirror],
    timeoutMs: KEEPER_MS,
    egress,
  });
  if (sandboxId === undefined) return 'busy';
  try {
    const shell = sandboxShell(port, sandboxId);
    const plan = { kind: 'shallow' } as const;
    await clone(shell, { remote, folder, base, plan, author: NOBODY });
    const keyed = await script(shell, KEY, [folder, wish.setting, ...KEY_ARGUMENTS]);
    if (keyed.exitCode !== 0) failed('look at the repository', keyed);
    const startedAt = now();
    if (!(await wish.setUp(sandboxId))) return 'failed';
    const made = { setupMs: now() - startedAt, madeAt: now() };
    const mark = JSON.stringify({ key: keyed.stdout.trim(), ...made });
    const args = [folder, `${folder}${MARK_SUFFIX}`, mark];
    const stripped = await script(shell, STRIP, args, { timeoutMs: SCRIPT_MS });
    if (stripped.exitCode !== 0) failed('keep the setup', stripped);
    await port.capture(sandboxId, name);
    return made;
  } finally {
    await port.destroy(sandboxId);
  }
}
