import {
  SETUP_SCRIPT,
  SHIP_AUTHOR,
  choosePreparation,
  inEnvironment,
  judgeRun,
  mayPromptAgent,
  sessionEvent,
  setupRepairPrompt,
} from '@ship/core';
import { type SetupProof, type Turn, createId } from '@ship/protocol';
import { mirrorTemplate, sandboxShell } from '../../git/index.ts';
import { clone } from '../../git/work/clone.ts';
import { log } from '../../platform/log.ts';
import { REPOSITORY_FOLDER, gitDeps } from './git-work.ts';
import { type LoggedOutcome, keepOutput, runLogged } from './logged-command.ts';
import type { TurnPlace } from './parts.ts';
import { factsOf } from './setup.ts';
import { startServices } from './start-services.ts';
import { inventoryOf } from './detect-project.ts';
import type { VerifyDeps } from './verify.ts';

const SETUP_TIMEOUT_MS = 15 * 60_000;
const VERIFY_TIMEOUT_MS = 5 * 60_000;
const SANDBOX_MS = 25 * 60_000;
const SCRIPT_TIMEOUT_MS = 60_000;
const SHIP = { name: 'Ship', email: 'ship@users.noreply.local' };

/** Whether the branch changes its setup; a branch without the script has nothing to prove. */
const CHANGED = `[ -f ${SETUP_SCRIPT} ] && ! git diff --quiet "$1" HEAD -- .ship`;

/**
 * Runs the setup that a turn wrote in a new sandbox, from a clone of the pushed branch. The agent's own sandbox proves little,
 * because what the agent installed by hand stays there. True when there is a new proof.
 */
export async function proveSetup(
  deps: VerifyDeps,
  turn: Turn,
  stop: AbortSignal,
): Promise<{ isProved: boolean }> {
  const { place, store } = deps;
  const { git, setupProof } = place.state();
  const { pushedSha, baseSha, branch } = git;
  if (stop.aborted || branch === null || baseSha === null || pushedSha === null)
    return { isProved: false };
  if (setupProof?.sha === pushedSha || !(await isChanged(place, baseSha)))
    return { isProved: false };
  const run = await store.trace.span(
    'setup.proof',
    () => runProof(deps, turn, branch, pushedSha),
    () => 'unavailable',
  );
  if (run === null) return { isProved: false };
  store.record([sessionEvent('setup.proved', run.proof)]);
  if (run.failure !== null) askForRepair(deps, run.failure);
  return { isProved: true };
}

async function isChanged({ port, sandboxId }: TurnPlace, baseSha: string): Promise<boolean> {
  const { exitCode } = await port.run(sandboxId, {
    argv: ['bash', '-c', CHANGED, 'ship', baseSha],
    cwd: REPOSITORY_FOLDER,
    timeoutMs: SCRIPT_TIMEOUT_MS,
  });
  return exitCode === 0;
}

interface Failure extends Pick<LoggedOutcome, 'exitCode' | 'output'> {
  command: string;
}

async function runProof(
  { place, parts, artifacts, store }: VerifyDeps,
  { turnId }: Turn,
  branch: string,
  sha: string,
): Promise<{ proof: SetupProof; failure: Failure | null } | null> {
  const { port, settings, secrets, mask } = place;
  const { repository, sessionId } = place.state();
  const remote = await (await gitDeps(place, parts)).remoteFor(branch);
  const sandboxId = await port.createBuilder({
    name: `ship-proof-${sessionId}`,
    template: 'base',
    preferred: [await mirrorTemplate(repository)],
    timeoutMs: SANDBOX_MS,
    egress: settings.egress.allow,
  });
  if (sandboxId === undefined) {
    log('info', 'setup.not-proved', { session: sessionId, reason: 'busy' });
    return null;
  }
  const clean = { ...place, sandboxId };
  const run = async (name: string, command: string, script: string, limitMs: number) => {
    const logged = { name, command: script, limitMs, isClean: false };
    const outcome = await runLogged({ port, sandboxId, secrets, mask }, logged);
    const link = await keepOutput(artifacts, `${name}-${turnId}.txt`, outcome.output);
    const { exitCode, durationMs } = outcome;
    return { outcome, summary: { command, exitCode, durationMs, link } };
  };
  try {
    const shell = sandboxShell(port, sandboxId);
    const folder = REPOSITORY_FOLDER;
    const plan = { kind: 'shallow' } as const;
    await clone(shell, { remote, folder, base: branch, plan, author: SHIP });
    const facts = { ...(await parts.repository(repository)), setupCommand: null };
    const found = { ...facts, hasSetupScript: true, key: '', mark: null };
    const before = choosePreparation(factsOf(clean, { ...found, ...(await inventoryOf(clean)) }));
    const { command = '', script = '' } = before.setup ?? {};
    const wrapped = inEnvironment(before.team, script);
    const begun = { turnId, purpose: 'setup-proof', command, limitMs: SETUP_TIMEOUT_MS } as const;
    // People wait for it: without an event the agent would seem to be thinking.
    if (command !== '') store.record([sessionEvent('command.started', begun)]);
    const setup = await run('setup-proof', command, wrapped, SETUP_TIMEOUT_MS);
    const proof: SetupProof = { turnId, sha, setup: setup.summary, verify: null };
    if (setup.outcome.exitCode !== 0) return { proof, failure: { ...setup.outcome, command } };
    await startServices(clean, before.team);
    const { plan: after } = choosePreparation(
      factsOf(clean, { ...found, ...(await inventoryOf(clean)) }),
    );
    const chosen = after.verify;
    if (chosen === null) return { proof, failure: null };
    const tests = inEnvironment(before.team, chosen.command);
    const verify = await run('setup-proof-verify', chosen.command, tests, VERIFY_TIMEOUT_MS);
    const { exitCode, output } = verify.outcome;
    const judged = judgeRun({ exitCode, output });
    const failure =
      judged.verdict === 'passed' ? null : { command: chosen.command, ...verify.outcome };
    const summary = { ...verify.summary, source: chosen.source, ...judged };
    return { proof: { ...proof, verify: summary }, failure };
  } finally {
    await port.destroy(sandboxId);
  }
}

/** Sends a setup that works only in the agent's own sandbox back to the agent, like a failing test. */
function askForRepair({ store }: VerifyDeps, { command, exitCode, output }: Failure): void {
  const { state } = store;
  if (state === undefined || state.activity.status !== 'working') return;
  if (!mayPromptAgent(state.verification)) return;
  if (state.queue.some(({ author }) => author === SHIP_AUTHOR)) return;
  const promptId = createId('prm');
  const text = setupRepairPrompt(command, exitCode, output);
  store.observe({ type: 'prompt.enqueue', prompt: { promptId, author: SHIP_AUTHOR, text } });
  store.observe({ type: 'prompt.move', promptId, after: null, text: null });
}
