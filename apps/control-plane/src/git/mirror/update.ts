import type { Egress, BuilderRequest, SandboxPort } from '../../sandbox/port.ts';
import { SETTING_ARGS } from '../work/settings.ts';
import { failed, sandboxShell, script } from '../work/shell.ts';
import { MADE_AT, MIRROR_FOLDER } from './template.ts';

/** A builder sandbox whose creator died ends after this, and with it its lock on the mirror. */
const BUILDER_TIMEOUT_MS = 20 * 60_000;
const TEMPLATE = 'base';
const TOO_MANY_PACKS = 7;

/**
 * Branches and tags only: checkpoints are private to their sessions. Keeps neither the address nor its capability. Every fetch
 * adds a pack; after several of them, starting over is faster.
 */
const FETCH = `set -eu
mirror=$1 made_at=$2 now=$3 remote=$4
shift 4
packs=$(find "$mirror/objects/pack" -name '*.pack' 2>/dev/null | wc -l)
if [ "$packs" -ge 5 ]; then exit ${TOO_MANY_PACKS}; fi
if [ ! -f "$mirror/HEAD" ]; then
  mkdir -p "\${mirror%/*}"
  git init --quiet --bare --template= "$mirror"
fi
git "$@" -c fetch.unpackLimit=1 --git-dir="$mirror" fetch --quiet --prune --no-write-fetch-head "$remote" \
  '+refs/heads/*:refs/heads/*' '+refs/tags/*:refs/tags/*'
git "$@" --git-dir="$mirror" pack-refs --all
chmod -R a+rX "$mirror"
printf '%s' "$now" > "$mirror/$made_at"`;

export interface MirrorOptions {
  /** The template that has the mirror. */
  name: string;
  /** An address that the sandbox can reach. */
  remote: string;
  now: () => number;
  egress: Egress;
}

/**
 * Creates or updates a repository's mirror in a builder sandbox, starting from the existing mirror, and then replaces that as a
 * whole. Sessions that started from the old one keep it; a builder that dies changes nothing. One builder works on a mirror at
 * a time: a second call returns `busy`.
 */
export async function keepMirror(
  port: Pick<SandboxPort, 'createBuilder' | 'run' | 'capture' | 'destroy'>,
  { name, remote, now, egress }: MirrorOptions,
): Promise<'kept' | 'busy'> {
  const fresh: BuilderRequest = { name, template: TEMPLATE, timeoutMs: BUILDER_TIMEOUT_MS, egress };
  for (const request of [{ ...fresh, preferred: [name] }, fresh]) {
    const sandboxId = await port.createBuilder(request);
    if (sandboxId === undefined) return 'busy';
    try {
      const shell = sandboxShell(port, sandboxId, 'root');
      const args = [MIRROR_FOLDER, MADE_AT, String(now()), remote, ...SETTING_ARGS];
      const outcome = await script(shell, FETCH, args, { timeoutMs: BUILDER_TIMEOUT_MS });
      if (outcome.exitCode === TOO_MANY_PACKS && request !== fresh) continue;
      if (outcome.exitCode !== 0) failed('bring the mirror up to date', outcome);
      await port.capture(sandboxId, name);
      return 'kept';
    } finally {
      await port.destroy(sandboxId);
    }
  }
  return 'busy';
}
