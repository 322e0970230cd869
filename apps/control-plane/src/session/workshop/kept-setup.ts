import { SETUP_WORTH_MS, installPolicy, sessionEvent } from '@ship/core';
import type { SessionState, Settings } from '@ship/protocol';
import { mirrorTemplate } from '../../git/index.ts';
import { log } from '../../platform/log.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import { buildSetup } from '../../setups/build-setup.ts';
import { setupName } from '../../setups/name.ts';
import type { KeptSetup, SetupScope } from '../../setups/port.ts';
import type { PreferredTemplates } from '../lifecycle.ts';
import { REPOSITORY_FOLDER, gitDeps, updateMirror } from './git-work.ts';
import { runLogged } from './logged-command.ts';
import type { Bench, SetUp, TurnPlace, WorkLog, WorkshopParts } from './parts.ts';

const SETUP_TIMEOUT_MS = 15 * 60_000;

type Known = Pick<SessionState, 'repository' | 'base'>;

const scopeOf = ({ repository, base }: Known, settings: Settings): SetupScope => ({
  repository,
  base: base ?? '',
  provider: settings.sandboxProvider,
});

async function nameOfSetup(
  { key, ...scope }: SetupScope & Pick<KeptSetup, 'key'>,
  port: Bench['port'],
  { secrets, gatewaySecret: salt }: WorkshopParts,
): Promise<string> {
  return setupName(port, { scope, key, secrets: await secrets(scope.repository), salt });
}

/** The saved setup for this repository and base. */
export function savedSetup(
  { state, settings }: TurnPlace,
  parts: WorkshopParts,
): Promise<KeptSetup | null> {
  return parts.setups.find(scopeOf(state(), settings));
}

/** A sandbox starts from the repository's saved setup, else from its mirror. Both are optional, so failures are only logged. */
export function preferredTemplates(parts: WorkshopParts | undefined): PreferredTemplates {
  return async (state, settings, port) => {
    const mirror = await mirrorTemplate(state.repository);
    if (parts === undefined) return [mirror];
    try {
      const scope = scopeOf(state, settings);
      const kept = await parts.setups.find(scope);
      // Made from another template or with other secrets: it is replaced at the end of this session's first turn.
      if (
        kept === null ||
        kept.name !== (await nameOfSetup({ ...scope, key: kept.key }, port, parts))
      )
        return [mirror];
      await parts.setups.change({ kind: 'use', name: kept.name });
      return [kept.name, mirror];
    } catch (thrown) {
      log('warn', 'setup.not-found', { code: foreignFailure('sandbox', thrown).code });
      return [mirror];
    }
  };
}

/** Records once that the sandbox service has lost the saved setup: it explains the full setup that follows. */
export async function reportLostSetup(
  place: TurnPlace,
  parts: WorkshopParts,
  store: Pick<WorkLog, 'record'>,
): Promise<void> {
  const kept = await savedSetup(place, parts);
  if (kept === null || (await place.port.hasCaptured(kept.name))) return;
  await parts.setups.change({ kind: 'drop', name: kept.name });
  store.record([sessionEvent('setup.missed', { reason: 'lost' })]);
}

/** Saves what the next session on this repository starts from. In sequence: the setup is built on top of the mirror. */
export async function saveForNextSessions(
  place: TurnPlace,
  parts: WorkshopParts,
  setUp: SetUp | null,
  isRestored: boolean,
): Promise<void> {
  await updateMirror(place, parts);
  if (setUp === null) return;
  if (!isRestored) return saveSetup(place, parts, setUp);
  // This setup includes the agent's work: it does not tell how the base is set up.
  log('info', 'setup.not-kept', { session: place.state().sessionId, reason: 'restored' });
}

/** The session contributes only the repository and the base: the builder reads the rest from a clean clone. */
async function saveSetup(
  place: TurnPlace,
  parts: WorkshopParts,
  { durationMs }: SetUp,
): Promise<void> {
  const { port, secrets, mask, settings } = place;
  const { git, sessionId, ...known } = place.state();
  if (durationMs < SETUP_WORTH_MS || git.branch === null || git.base === null) return;
  const scope = scopeOf(known, settings);
  const salt = parts.gatewaySecret;
  const nameOf = (key: string) => setupName(port, { scope, key, secrets, salt });
  const { remoteFor, submodules } = await gitDeps(place, parts);
  const remote = await remoteFor(git.branch);
  const { setupCommand: setting, ...override } = await parts.repository(scope.repository);
  const setUp = async (sandboxId: string, command: string) => {
    const run = { name: 'setup', command, limitMs: SETUP_TIMEOUT_MS, isClean: false };
    const { exitCode } = await runLogged({ port, sandboxId, secrets, mask }, run);
    return exitCode === 0;
  };
  const made = await buildSetup(port, {
    lock: await nameOf(''),
    folder: REPOSITORY_FOLDER,
    repository: { location: scope.repository, secretNames: Object.keys(secrets) },
    mirror: await mirrorTemplate(scope.repository),
    remote,
    submodules,
    base: git.base,
    egress: settings.egress.allow,
    now: Date.now,
    setting,
    policy: installPolicy(settings.install, override),
    nameOf,
    setUp,
  });
  if (typeof made === 'string') {
    log('info', 'setup.not-kept', { session: sessionId, reason: made });
    return;
  }
  const { name: layer, baseSha } = made;
  log('info', 'setup.kept', { session: sessionId, outcome: 'kept', layer, baseSha });
  const setup = { ...scope, sessionId, ...made };
  for (const gone of await parts.setups.change({ kind: 'keep', setup })) await port.forget(gone);
}
