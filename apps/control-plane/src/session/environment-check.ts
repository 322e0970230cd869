import {
  type CapabilityBearer,
  choosePreparation,
  environmentScript,
  evolveEnvironment,
  installPolicy,
  judgeInEnvironment,
  needsBuild,
  planEnvironment,
  sessionEvent,
} from '@ship/core';
import {
  type CheckStep,
  type EnvironmentCheck,
  type EnvironmentCheckCreate,
  type EnvironmentState,
  type SessionEvent,
  type SessionId,
  ShipFailure,
  createId,
  fail,
} from '@ship/protocol';
import {
  type SubmoduleAccess,
  gatewayRemotes,
  initializeSubmodules,
  mirrorTemplate,
  requireBase,
  sandboxShell,
} from '../git/index.ts';
import { clone } from '../git/work/clone.ts';
import type { Shell } from '../git/work/shell.ts';
import { maskFor } from '../platform/mask.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { SandboxPort } from '../sandbox/port.ts';
import type { SessionParts } from './parts.ts';
import { followLog } from './workshop/follow-log.ts';
import { REPOSITORY_FOLDER, submoduleAccess } from './workshop/git-work.ts';
import { installDependencies } from './workshop/install.ts';
import { type LoggedCommand, type LoggedOutcome, runLogged } from './workshop/logged-command.ts';
import type { CommandPlace, WorkshopParts } from './workshop/parts.ts';
import { startServices } from './workshop/start-services.ts';
import { inventoryOf, detectProject } from './workshop/detect-project.ts';

const SANDBOX_MS = 40 * 60_000;
const SETUP_TIMEOUT_MS = 15 * 60_000;
const VERIFY_TIMEOUT_MS = 5 * 60_000;
const MAX_OUTPUT = 8_000;
const AUTHOR = { name: 'Ship', email: 'ship@users.noreply.local' };

/**
 * Runs the plan of a repository in a separate sandbox, with the code of a session and without an agent. A check belongs to no
 * session and lives in memory: it ends with the process, and its sandbox some time after.
 */
export class EnvironmentCheckRunner {
  readonly #parts: Pick<SessionParts, 'workspace' | 'sandboxes' | 'workshop'>;
  #check: EnvironmentCheck | undefined;
  #sandboxId: string | undefined;

  constructor(parts: Pick<SessionParts, 'workspace' | 'sandboxes' | 'workshop'>) {
    this.#parts = parts;
  }

  get check(): EnvironmentCheck {
    return (
      this.#check ??
      fail('not-found', 'There is no such check, or a restart ended it.', 'Start it again.')
    );
  }

  /** Whether this is the check's own sandbox, which may fetch the repository and nothing else. */
  mayFetch({ sandboxId, from }: CapabilityBearer): boolean {
    return this.#sandboxId === sandboxId && (from === null || from === sandboxId);
  }

  start(checkId: SessionId, { repository, base }: EnvironmentCheckCreate): Promise<void> {
    if (this.#check !== undefined) return Promise.resolve();
    const { workshop } = this.#parts;
    if (workshop === undefined)
      fail('unavailable', 'No sandbox can fetch repositories here.', 'Set GATEWAY_SECRET.');
    this.#check = {
      checkId,
      repository,
      status: 'running',
      startedAt: Date.now(),
      setup: null,
      plan: null,
      steps: [],
      output: '',
      error: null,
    };
    return this.#run(workshop, checkId, repository, base).catch((thrown: unknown) => {
      const error =
        thrown instanceof ShipFailure ? thrown.error : foreignFailure('sandbox', thrown);
      this.#endStep({ status: 'failed', detail: error.message.slice(0, 2000) });
      this.#change({ status: 'failed', error });
    });
  }

  async #run(
    workshop: WorkshopParts,
    checkId: SessionId,
    repository: string,
    asked: string | null,
  ): Promise<void> {
    const settings = await this.#parts.workspace.settings();
    const port = this.#parts.sandboxes(settings.sandboxProvider);
    const facts = await workshop.repository(repository);
    const secrets = await workshop.secrets(repository);
    this.#beginStep('sandbox', null);
    const sandboxId = await port.createBuilder({
      name: checkId,
      template: 'base',
      preferred: [await mirrorTemplate(repository)],
      timeoutMs: SANDBOX_MS,
      egress: settings.egress.allow,
    });
    if (sandboxId === undefined)
      return fail('unavailable', 'This check already has a sandbox.', 'Start another check.');
    this.#sandboxId = sandboxId;
    try {
      this.#endStep({ status: 'ok' });
      const place = { port, sandboxId, secrets, mask: maskFor(Object.values(secrets)) };
      await this.#clone(place, workshop, checkId, repository, asked);
      const { setupCommand: setting, verifyCommand: verifySetting, ...override } = facts;
      const { hasSetupScript: hasOwnScript } = await detectProject(place, '');
      const policy = installPolicy(settings.install, override);
      const where = {
        folder: REPOSITORY_FOLDER,
        location: repository,
        secretNames: Object.keys(secrets),
      };
      const known = { setting, hasOwnScript, verifySetting, policy, place: where };
      const prepared = choosePreparation({ ...known, ...(await inventoryOf(place)) });
      const { plan, setup, team } = prepared;
      const chosen = setup === null ? null : { command: setup.command, source: setup.source };
      this.#change({ plan, setup: chosen });
      const inside = { ...place, environment: environmentScript(team) };
      const environment = await this.#prepare(inside, prepared);
      await startServices(inside, team);
      await this.#verify(inside, verifySetting, environment);
    } finally {
      this.#sandboxId = undefined;
      await port.destroy(sandboxId);
    }
    this.#change({ status: this.check.steps.some(isBad) ? 'failed' : 'passed' });
  }

  async #clone(
    { port, sandboxId }: { port: SandboxPort; sandboxId: string },
    workshop: WorkshopParts,
    checkId: SessionId,
    repository: string,
    asked: string | null,
  ): Promise<void> {
    this.#beginStep('clone', null);
    const forge = await workshop.forge(repository, null);
    const base = asked ?? (await forge.repository()).defaultBranch;
    await requireBase(forge, base);
    const { gatewaySecret: secret, gateways } = workshop;
    const door = gateways.git;
    const remotes = { secret, door, forge, sessionId: checkId, sandboxId, now: Date.now };
    const remote = await gatewayRemotes(remotes)(base);
    const plan = { kind: 'shallow' } as const;
    const source = { remote, folder: REPOSITORY_FOLDER, base, plan, author: AUTHOR };
    const shell = sandboxShell(port, sandboxId);
    await clone(shell, source);
    this.#endStep({ status: 'ok', detail: base });
    await this.#submodules(shell, submoduleAccess(workshop, remotes, repository));
  }

  /** As in a session, a missing submodule fails nothing: the steps that need it report it. */
  async #submodules(shell: Shell, access: SubmoduleAccess): Promise<void> {
    const startedAt = Date.now();
    const { initialized, missing } = await initializeSubmodules(shell, REPOSITORY_FOLDER, access);
    if (initialized.length + missing.length === 0) return;
    this.#beginStep('submodules', null);
    this.#stepStartedAt = startedAt;
    const reasons = missing.map(({ path, reason }) => `${path}: ${reason}`);
    const detail = [...reasons, ...initialized.map(({ path }) => path)].join(', ').slice(0, 2000);
    this.#endStep({ status: missing.length === 0 ? 'ok' : 'skipped', detail });
  }

  async #prepare(
    place: CommandPlace,
    { setup, plan }: ReturnType<typeof choosePreparation>,
  ): Promise<EnvironmentState | undefined> {
    let state = fold(undefined, sessionEvent('environment.planned', plan));
    if (setup !== null) {
      this.#beginStep('setup', setup.command);
      const run = { name: 'setup', command: setup.script, limitMs: SETUP_TIMEOUT_MS };
      const { exitCode, output } = await this.#runFollowed(place, { ...run, isClean: false });
      this.#change({ output: output.slice(-MAX_OUTPUT) });
      this.#endStep(exitCode === 0 ? { status: 'ok' } : failedWith(exitCode, output));
      return state;
    }
    const record = (events: readonly SessionEvent[]) => {
      for (const event of events) {
        state = fold(state, event);
        if (event.type === 'install.started')
          this.#beginStep(`install (${event.data.manager})`, event.data.command);
        if (event.type === 'install.finished') {
          const { reason } = event.data;
          this.#endStep({ status: reason === null ? 'ok' : 'failed', detail: reason });
        }
      }
    };
    const store = { record, trace: NO_TRACE, state: undefined };
    const artifacts = async (_: string, bytes: Uint8Array) => {
      this.#change({ output: new TextDecoder().decode(bytes).slice(-MAX_OUTPUT) });
      return '';
    };
    const live = ({ data }: { data: { delta: string } }) =>
      this.#change({ output: (this.check.output + data.delta).slice(-MAX_OUTPUT) });
    const turnId = createId('turn');
    const { signal: stop } = new AbortController();
    await installDependencies({ place, store, artifacts, live, turnId, stop }, plan.install);
    return state;
  }

  async #verify(
    place: CommandPlace,
    verifySetting: string | null,
    environment: EnvironmentState | undefined,
  ): Promise<void> {
    const isInstalled = environment?.install === 'done';
    const input = { verifySetting, isInstalled, withScripts: true };
    const { verify } = planEnvironment({ ...input, ...(await inventoryOf(place)) });
    this.#beginStep('verify', verify?.command ?? null);
    if (verify === null) {
      this.#endStep({ status: 'skipped', detail: 'no test command found' });
      return;
    }
    const plain = await this.#judge(place, verify.command, environment);
    const { afterBuild } = verify;
    const isTriedBuilt = afterBuild !== undefined && needsBuild(plain, verify);
    if (isTriedBuilt) {
      this.#endStep({ status: 'skipped', detail: 'no test passed without a build' });
      this.#beginStep('verify', afterBuild);
    }
    const { verdict, counts, reason } = isTriedBuilt
      ? await this.#judge(place, afterBuild, environment)
      : plain;
    const tests = counts === null ? null : `${counts.passed} passed, ${counts.failed} failed`;
    const words = verdict === 'timed-out' ? 'did not end in time' : (reason ?? tests);
    const status = verdict === 'passed' ? 'ok' : verdict === 'failed' ? 'failed' : 'unavailable';
    this.#endStep({ status, detail: words });
  }

  async #judge(place: CommandPlace, command: string, environment: EnvironmentState | undefined) {
    const run = { name: 'verify', command, limitMs: VERIFY_TIMEOUT_MS, isClean: true };
    const { exitCode, output } = await this.#runFollowed(place, run);
    this.#change({ output: output.slice(-MAX_OUTPUT) });
    return judgeInEnvironment({ exitCode, output }, environment);
  }

  /** Shows the command's output while it runs. */
  #runFollowed(place: CommandPlace, command: LoggedCommand): Promise<LoggedOutcome> {
    const unfollow = followLog(place, command.name, (text) =>
      this.#change({ output: (this.check.output + text).slice(-MAX_OUTPUT) }),
    );
    return runLogged(place, command).finally(unfollow);
  }

  #change(change: Partial<EnvironmentCheck>): void {
    this.#check = { ...this.check, ...change };
  }

  #beginStep(name: string, command: string | null): void {
    this.#stepStartedAt = Date.now();
    const step = { name, command, status: 'running', durationMs: null, detail: null } as const;
    this.#change({ steps: [...this.check.steps, step], output: '' });
  }

  #stepStartedAt = 0;

  #endStep(end: Pick<CheckStep, 'status'> & { detail?: string | null }): void {
    const durationMs = Date.now() - this.#stepStartedAt;
    const steps = this.check.steps.map((step) =>
      step.status === 'running' ? { ...step, durationMs, detail: null, ...end } : step,
    );
    this.#change({ steps });
  }
}

const fold = (state: EnvironmentState | undefined, event: SessionEvent) =>
  // The fold ignores seq and time.
  evolveEnvironment(state, { ...event, seq: 1, at: 0 });

const failedWith = (exitCode: number | null, output: string) => ({
  status: 'failed' as const,
  detail: `exit code ${exitCode ?? 'none'}: ${output.trim().slice(-500)}`,
});

const isBad = ({ status }: CheckStep) => status === 'failed' || status === 'unavailable';

/** The steps of a check carry their own durations. */
const NO_TRACE = {
  span: <Value>(_: string, work: () => Promise<Value>) => work(),
  record: () => undefined,
};
