import { failureReason, installCommand, sessionEvent } from '@ship/core';
import type { InstallStep, LiveEvent, TurnId } from '@ship/protocol';
import { log } from '../../platform/log.ts';
import type { ArtifactSink } from '../ingest/draft.ts';
import { followLog } from './follow-log.ts';
import { REPOSITORY_FOLDER } from './git-work.ts';
import { keepOutput, runLogged, stopLogged } from './logged-command.ts';
import type { CommandPlace, SetUp, WorkLog } from './parts.ts';

const INSTALL_TIMEOUT_MS = 15 * 60_000;
const CLEAN_TIMEOUT_MS = 60_000;

export interface InstallDeps {
  place: CommandPlace;
  store: Pick<WorkLog, 'record' | 'trace' | 'state'>;
  artifacts: ArtifactSink;
  live: (event: LiveEvent) => void;
  turnId: TurnId;
  /** Aborted by Stop: the rest of an install is skipped. */
  stop: AbortSignal;
}

/**
 * Installs dependencies, one step per ecosystem. A failing step is recorded and the turn continues: no person asked for
 * the command, and an agent can do much without it. Null when a step failed: such a result is not saved.
 */
export async function installDependencies(
  deps: InstallDeps,
  steps: readonly InstallStep[],
): Promise<SetUp | null> {
  const startedAt = Date.now();
  let isComplete = true;
  for (const [at, step] of steps.entries()) {
    if (deps.stop.aborted) return null;
    if (!(await runStep(deps, step, at + 1, steps.length))) isComplete = false;
  }
  return isComplete ? { durationMs: Date.now() - startedAt } : null;
}

async function runStep(
  { place, store, artifacts, live, turnId, stop }: InstallDeps,
  install: InstallStep,
  step: number,
  of: number,
): Promise<boolean> {
  const partId = `install-${turnId}-${step}`;
  const about = { ...install, partId, step, of };
  store.record([sessionEvent('install.started', about)]);
  const name = `install-${step}`;
  const command = installCommand([install]);
  const run = { name, command, limitMs: INSTALL_TIMEOUT_MS, isClean: false };
  const unfollow = followLog(place, name, (delta) =>
    live({ type: 'part.delta', data: { turnId, partId, field: 'output', delta } }),
  );
  const onStop = () => void stopLogged(place, name).catch(() => undefined);
  stop.addEventListener('abort', onStop, { once: true });
  const { exitCode, durationMs, output } = await store.trace
    .span(
      `install.${install.manager}`,
      () => runLogged(place, run),
      () => 'unavailable',
    )
    .finally(() => {
      unfollow();
      stop.removeEventListener('abort', onStop);
    });
  const link = await keepOutput(artifacts, `${name}.txt`, `$ ${command}\n${output}`);
  const isDone = exitCode === 0;
  const why = stop.aborted ? 'stopped by a person' : failureReason(output, exitCode);
  const reason = isDone ? null : why;
  const finished = { ...about, durationMs, exitCode, reason, link };
  store.record([sessionEvent('install.finished', finished)]);
  if (!isDone) {
    log('info', 'install.failed', { manager: install.manager, exitCode: exitCode ?? 'none' });
    await removeVenv(place);
  }
  return isDone;
}

/** A partial virtual environment would hide the system's Python, which may be able to run the tests. */
async function removeVenv({ port, sandboxId }: CommandPlace): Promise<void> {
  await port.run(sandboxId, {
    argv: ['git', 'clean', '-ffdxq', '--', '.venv'],
    cwd: REPOSITORY_FOLDER,
    timeoutMs: CLEAN_TIMEOUT_MS,
  });
}
