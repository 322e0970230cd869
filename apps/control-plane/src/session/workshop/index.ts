import { DEFAULT_AGENT_LIMITS, withUnreachedPrompts } from '@ship/core';
import { type LiveEvent, type Settings, type Turn, fail } from '@ship/protocol';
import type { Agent } from '../../agent/port.ts';
import { saveCheckpoint } from '../../git/index.ts';
import { maskFor } from '../../platform/mask.ts';
import { quietly } from '../../platform/quietly.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import { sessionArtifact } from '../artifact-key.ts';
import type { ArtifactSink } from '../ingest/draft.ts';
import type { SessionParts } from '../parts.ts';
import { providerOf } from '../provider.ts';
import type { BudgetService } from '../budget-service.ts';
import type { SessionStore } from '../session-store.ts';
import type { TurnEnd } from '../turn/ports.ts';
import { runTurn } from '../turn/run-turn.ts';
import {
  type Launched,
  mustRestore,
  launchAgent,
  readConversation,
  storeConversation,
} from './agent-work.ts';
import { readAttachments } from './attachments.ts';
import { type Found, checkOutRepository } from './checkout.ts';
import { deliver } from './delivery.ts';
import { type TurnEvidence, askForRepair, gatherEvidence } from './evidence.ts';
import { limitEgress } from './egress.ts';
import { ForgePrefetch } from './forge-prefetch.ts';
import { gitDeps, waitForHistory } from './git-work.ts';
import { saveForNextSessions } from './kept-setup.ts';
import { rememberSetup, treeBeforeSetup } from './left-behind.ts';
import type { ModelAccess, SetUp, TurnBench, TurnPlace, WorkshopParts } from './parts.ts';
import { nameBranch, nameSession } from './naming.ts';
import { CheckpointThrottle } from './checkpoint-throttle.ts';
import { proveSetup } from './prove-setup.ts';
import { watchRefusals, withRefusals } from './refusals.ts';
import { runSetup } from './setup.ts';
import { startServices } from './start-services.ts';
import { isDone, runStage } from './stages.ts';
import { stepLimit } from './step-limit.ts';
import { inTeamEnvironment, teamOf, withPrograms } from './team-environment.ts';
import { retryServers, reportMissingServers } from './tool-servers.ts';
import { renewEvidence } from './renew-evidence.ts';
import { type VerifyDeps, startBaseline } from './verify.ts';
import { eventsOfTurn, firstNotes } from './turn-events.ts';

export interface WorkshopTools {
  store: SessionStore;
  settings: () => Promise<Settings>;
  live: (event: LiveEvent) => void;
  /** Shows how the turn ended while its work is still being delivered. */
  end: (turn: Turn, end: TurnEnd) => void;
  budget: () => Pick<BudgetService, 'pauseOf' | 'flush'>;
}

/**
 * Runs a turn: checks out and prepares the repository, starts, prompts and follows the agent, and delivers its changes. Every
 * step first checks what is already done, so that all of it can run again after a crash.
 */
export class Workshop {
  readonly #parts: SessionParts;
  readonly #deps: WorkshopParts;
  readonly #tools: WorkshopTools;
  readonly #forgePrefetch: ForgePrefetch;

  constructor(parts: SessionParts, deps: WorkshopParts, tools: WorkshopTools) {
    this.#parts = parts;
    this.#deps = deps;
    this.#tools = tools;
    this.#forgePrefetch = new ForgePrefetch(deps.forge);
  }

  prefetch(): void {
    const { state } = this.#tools.store;
    if (state !== undefined) this.#forgePrefetch.start(state);
  }

  async drive(turn: Turn, stop: AbortSignal): Promise<TurnEnd> {
    const over = new AbortController();
    const bench = await this.#enter();
    const watch = watchRefusals(this.#parts.refusals, bench, this.#tools.store, turn.turnId);
    try {
      return await this.#drive(bench, turn, stop, over);
    } finally {
      over.abort();
      watch.stop();
    }
  }

  /** `over` stops what runs beside the agent. */
  async #drive(
    bench: TurnBench,
    turn: Turn,
    stop: AbortSignal,
    over: AbortController,
  ): Promise<TurnEnd> {
    const { store } = this.#tools;
    const isNew = !isDone(store, 'clone');
    const isRestored = bench.state().git.branch !== null;
    const naming = quietly('naming', () => nameSession(store, this.#deps, stop));
    const launching = this.#launchEarly(bench, turn);
    const untilOver = AbortSignal.any([stop, over.signal]);
    const prepared = await this.#prepare(bench, launching, turn, untilOver).catch(
      async (thrown: unknown) => {
        // Never leave a started agent behind: the next attempt would find a stale process.
        await launching?.catch(() => undefined);
        throw thrown;
      },
    );
    const { place, agent, models, granted, checks, setUp, tested } = prepared;
    // Not awaited: a hanging MCP server must not delay the turn.
    let isChecking = true;
    void quietly('tool-servers', () =>
      reportMissingServers(agent, granted, store, turn.turnId),
    ).finally(() => (isChecking = false));
    const end = this.#judge(turn, await this.#work(place, agent, models, turn, stop));
    await quietly('usage', () => this.#tools.budget().flush());
    if (end.kind === 'fail') return end;
    // Stop takes effect in the UI at once, not after the push.
    if (end.outcome.kind === 'stopped') this.#tools.end(turn, end);
    const saveAndRest = async () => {
      await this.#saveConversation(place, agent);
      // Awaited, so that it never overlaps with the next turn. Skipped while the agent still owes an answer about its servers.
      if (!isChecking) await quietly('rest', () => agent.rest());
    };
    // An interrupted turn is not verified, so it needs no baseline.
    if (end.outcome.kind !== 'completed') over.abort();
    await tested;
    // Concurrently: the agent has ended, and nothing that runs now changes its conversation.
    const [evidence] = await Promise.all([gatherEvidence(checks, turn, end, stop), saveAndRest()]);
    // Started with the turn and long done: the pull request gets the same title.
    await naming;
    await quietly('branch', () => nameBranch(place, this.#deps, store));
    const { isDelivered } = await deliver(place, this.#deps, store, turn, evidence);
    // A conflict becomes its own turn, which is verified too.
    if (isDelivered) askForRepair(checks, evidence);
    if (isDelivered) await this.#prove(checks, turn, evidence, stop);
    // Last and not awaited: it must not delay the end of the turn.
    if (isNew)
      void quietly('mirror', () => saveForNextSessions(place, this.#deps, setUp, isRestored));
    return end;
  }

  /** Runs a setup that the turn wrote in a clean sandbox, and then reports the result in the pull request. */
  async #prove(
    checks: VerifyDeps,
    turn: Turn,
    evidence: TurnEvidence,
    stop: AbortSignal,
  ): Promise<void> {
    await quietly('setup-proof', async () => {
      const { isProved } = await proveSetup(checks, turn, stop);
      if (isProved) await deliver(checks.place, this.#deps, this.#tools.store, turn, evidence);
    });
  }

  /**
   * The agent takes seconds to start and does not need the repository for it, so both run concurrently. An agent that restores
   * its conversation needs the folder that it was about.
   */
  #launchEarly(bench: TurnBench, turn: Turn): Promise<Launched> | undefined {
    if (mustRestore(bench, this.#tools.store)) return undefined;
    const launching = this.#launch(bench, turn);
    // Not awaited yet: a failure surfaces where it is.
    launching.catch(() => undefined);
    return launching;
  }

  #launch(bench: TurnBench, turn: Turn): Promise<Launched> {
    const { store } = this.#tools;
    return store.trace.span(
      'agent.launch',
      () => launchAgent(bench, this.#deps, store, this.#parts.artifacts, turn),
      (thrown) => foreignFailure('sandbox', thrown).code,
    );
  }

  async #prepare(
    bench: TurnBench,
    launching: Promise<Launched> | undefined,
    turn: Turn,
    untilOver: AbortSignal,
  ) {
    const { store } = this.#tools;
    // While the repository is checked out; nothing of it runs before.
    const limiting = limitEgress(bench, store.metadata);
    limiting.catch(() => undefined);
    const outer: TurnPlace = { ...bench, forge: this.#forgePrefetch.take(bench.state) };
    const checkedOut = await checkOutRepository(outer, this.#deps, store);
    await limiting;
    const found = await withPrograms(outer, checkedOut);
    const team = await teamOf(outer, this.#parts.artifacts, found);
    const place = await inTeamEnvironment(outer, team);
    const treeBefore = found === null ? null : await treeBeforeSetup(place, isDone(store, 'setup'));
    const setUp = found === null ? null : await this.#setUp(place, found, turn, untilOver);
    const isSetUp = setUp !== null || (found?.mark ?? null) !== null;
    // Anything that a setup ran may have changed what was detected.
    const project = setUp === null && place.state().environment === undefined ? found : null;
    const checks = this.#checks(place);
    const first = (async () => {
      // Once the agent begins, its files cannot be told from the setup's.
      if (isSetUp) await quietly('setup-tree', () => rememberSetup(place, store, treeBefore));
      if (project?.hasServices !== false || team !== null)
        await quietly('start', () => startServices(place, team));
    })();
    const baseline = startBaseline(checks, turn.turnId, untilOver, project, first);
    const tested = quietly('verification', () => baseline.done);
    const history = found === null ? undefined : quietly('history', () => waitForHistory(place));
    try {
      const launched = await runStage(store, 'agent', async () => {
        const { agent, ...rest } = await (launching ?? this.#launch(place, turn));
        // An agent that started before the checkout has read an empty folder.
        if (found?.isMissed === true) await quietly('reload', () => agent.reload());
        if (found !== null) await quietly('tool-servers', () => retryServers(agent, rest.granted));
        return { agent, ...rest };
      });
      return { place, checks, setUp, tested, ...launched };
    } finally {
      await quietly('verification', () => baseline.ready);
      await history;
    }
  }

  /** A turn that ended because the budget is exhausted waits for a person; it has not failed. */
  #judge({ turnId }: Turn, end: TurnEnd): TurnEnd {
    const isFailure = end.kind === 'fail' || end.outcome.kind === 'failed';
    const pause = isFailure ? this.#tools.budget().pauseOf(turnId) : undefined;
    return pause === undefined ? end : { kind: 'finish', outcome: pause };
  }

  /** Renews the evidence for the branch as it is now, without a turn. */
  async verifyAgain(stop: AbortSignal): Promise<void> {
    const bench = await this.#enter();
    const place: TurnPlace = { ...bench, forge: this.#forgePrefetch.take(bench.state) };
    await renewEvidence(this.#checks(place), stop);
  }

  async #enter(): Promise<TurnBench> {
    const { store } = this.#tools;
    const settings = await this.#tools.settings();
    const state = () =>
      store.state ?? fail('not-found', 'There is no such session.', 'Start a new one.');
    const { sandbox } = state();
    if (sandbox.status !== 'running')
      return fail('unavailable', 'The sandbox is not running.', 'Ship restarts it automatically.');
    const { sandboxId } = sandbox;
    const port = this.#parts.sandboxes(providerOf(store.metadata, settings));
    const secrets = await this.#deps.secrets(state().repository);
    return { state, settings, port, sandboxId, secrets, mask: maskFor(Object.values(secrets)) };
  }

  async #setUp(
    place: TurnPlace,
    found: Found,
    { turnId }: Turn,
    stop: AbortSignal,
  ): Promise<SetUp | null> {
    const { store, live } = this.#tools;
    if (isDone(store, 'setup')) return null;
    const artifacts = this.#artifacts(place);
    const deps = { place, parts: this.#deps, store, artifacts, live, turnId, stop };
    return runStage(store, 'setup', () => runSetup(deps, found));
  }

  async #work(
    place: TurnPlace,
    agent: Agent,
    { isPriced }: ModelAccess,
    { turnId, promptId, attempt }: Turn,
    stop: AbortSignal,
  ): Promise<TurnEnd> {
    const { store, live } = this.#tools;
    const { sessionId, title, current, unreached, model, agent: known, ...state } = place.state();
    const texts = [withUnreachedPrompts(current?.text ?? '', unreached), ...firstNotes(state)];
    const { limits } = place.settings;
    const carried = [...unreached, ...(current === null ? [] : [current])];
    const [maxSteps, attachments] = await Promise.all([
      stepLimit(place, this.#deps),
      readAttachments(this.#parts.artifacts, sessionId, carried),
    ]);
    const throttle = new CheckpointThrottle();
    return runTurn(
      {
        agent,
        record: async (events) => store.record(events),
        live,
        state: () => place.state().agent,
        eventsOfTurn: (id) => eventsOfTurn(store, id),
        artifacts: this.#artifacts(place),
        afterStep: () => this.#checkpoint(place, agent, throttle),
        now: Date.now,
        stop,
        limits: {
          ...DEFAULT_AGENT_LIMITS,
          maxSteps,
          turnTimeoutMs: limits.turnTimeoutMs,
          toolFailures: limits.toolFailures,
        },
      },
      {
        turnId,
        promptId,
        attempt,
        title,
        text: withRefusals(store, texts.join('\n\n'), place.settings.egress.allow),
        attachments,
        model,
        mode: known.mode,
        isPriced,
      },
    );
  }

  #checks(place: TurnPlace): VerifyDeps {
    const artifacts = this.#artifacts(place);
    return { place, parts: this.#deps, store: this.#tools.store, artifacts };
  }

  #artifacts(place: TurnPlace): ArtifactSink {
    const { sessionId } = place.state();
    return async (name, bytes) => {
      await this.#parts.artifacts.put(sessionArtifact(sessionId, name), bytes, 'text/plain');
      return `/api/sessions/${sessionId}/artifacts/${name}`;
    };
  }

  /**
   * Reads the conversation before the files and stores it after them: an agent that remembers work which is missing from the
   * files would leave it out.
   */
  async #checkpoint(place: TurnPlace, agent: Agent, throttle: CheckpointThrottle): Promise<void> {
    const { store } = this.#tools;
    await quietly('checkpoint', async () => {
      const conversation = await throttle
        .runIfDue(() => readConversation(agent, place))
        .catch(() => undefined);
      store.record(await saveCheckpoint(await gitDeps(place, this.#deps)));
      if (conversation !== undefined)
        await storeConversation(conversation, place, this.#parts.artifacts);
    });
  }

  /** Saves the conversation even of a turn that was stopped or failed. */
  async #saveConversation(place: TurnPlace, agent: Agent): Promise<void> {
    await quietly('conversation', async () => {
      const conversation = await readConversation(agent, place);
      if (conversation !== undefined)
        await storeConversation(conversation, place, this.#parts.artifacts);
    });
  }
}
