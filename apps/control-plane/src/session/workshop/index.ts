import { DEFAULT_AGENT_LIMITS, withUnreached } from '@ship/core';
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
  isToBeRestored,
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
import { gitDeps, untilHistory } from './git-work.ts';
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
  /** Lets people know how the turn ended while its work is still being delivered. */
  end: (turn: Turn, end: TurnEnd) => void;
  purse: () => Pick<BudgetService, 'pauseOf' | 'flush'>;
}

/**
 * Where a turn is worked on: the repository is brought in, prepared, the agent started, prompted and followed, and what it
 * changed is delivered. Every step looks first at what is there already, so all of it may be called again after a crash.
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
    if (state !== undefined) this.#forgePrefetch.ask(state);
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

  /** `over`: ends what runs beside the agent. */
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
        // It is never left behind for the next attempt to find.
        await launching?.catch(() => undefined);
        throw thrown;
      },
    );
    const { place, agent, models, granted, checks, setUp, tested } = prepared;
    // Not waited for: a server that hangs is slow to be known, and the turn does without it.
    let isAsked = true;
    void quietly('tool-servers', () =>
      reportMissingServers(agent, granted, store, turn.turnId),
    ).finally(() => (isAsked = false));
    const end = this.#judge(turn, await this.#work(place, agent, models, turn, stop));
    await quietly('usage', () => this.#tools.purse().flush());
    if (end.kind === 'fail') return end;
    // Who presses Stop wants to see it at once, not when the work so far has been pushed.
    if (end.outcome.kind === 'stopped') this.#tools.end(turn, end);
    const layAside = async () => {
      await this.#keep(place, agent);
      // Waited for, so that it never falls into the next turn. One that still owes us an answer stays awake.
      if (!isAsked) await quietly('rest', () => agent.rest());
    };
    // A turn that was cut short is not verified: nobody needs to know how things were.
    if (end.outcome.kind !== 'completed') over.abort();
    await tested;
    // Side by side: the agent has ended, and what it said does not change with what is run now.
    const [evidence] = await Promise.all([gatherEvidence(checks, turn, end, stop), layAside()]);
    // Begun with the turn, and long over: the pull request is to have the same title.
    await naming;
    await quietly('branch', () => nameBranch(place, this.#deps, store));
    const { isDelivered } = await deliver(place, this.#deps, store, turn, evidence);
    // A conflict is a task of its own, and its turn is verified too.
    if (isDelivered) askForRepair(checks, evidence);
    if (isDelivered) await this.#prove(checks, turn, evidence, stop);
    // Now that nobody waits any more; the turn does not wait for it either.
    if (isNew)
      void quietly('mirror', () => saveForNextSessions(place, this.#deps, setUp, isRestored));
    return end;
  }

  /** A setup that the turn wrote runs in a clean sandbox; then the pull request says how that went. */
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
   * The agent takes seconds to start and needs no repository for it: both come at the same time. One that gets its earlier
   * conversation back needs the folder that it was about.
   */
  #launchEarly(bench: TurnBench, turn: Turn): Promise<Launched> | undefined {
    if (isToBeRestored(bench, this.#tools.store)) return undefined;
    const launching = this.#launch(bench, turn);
    // Nobody waits for it yet: a failure is told when somebody does.
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
    // While the repository comes in; nothing of it runs before.
    const limiting = limitEgress(bench, store.metadata);
    limiting.catch(() => undefined);
    const outer: TurnPlace = { ...bench, forge: this.#forgePrefetch.take(bench.state) };
    const brought = await checkOutRepository(outer, this.#deps, store);
    await limiting;
    const found = await withPrograms(outer, brought);
    const team = await teamOf(outer, this.#parts.artifacts, found);
    const place = await inTeamEnvironment(outer, team);
    const treeBefore = found === null ? null : await treeBeforeSetup(place, isDone(store, 'setup'));
    const setUp = found === null ? null : await this.#setUp(place, found, turn, untilOver);
    const isSetUp = setUp !== null || (found?.mark ?? null) !== null;
    // Whatever a setup has run may have changed what was found.
    const project = setUp === null && place.state().environment === undefined ? found : null;
    const checks = this.#checks(place);
    const first = (async () => {
      // Once the agent begins nobody can tell its files from the setup's.
      if (isSetUp) await quietly('setup-tree', () => rememberSetup(place, store, treeBefore));
      if (project?.hasServices !== false || team !== null)
        await quietly('start', () => startServices(place, team));
    })();
    const baseline = startBaseline(checks, turn.turnId, untilOver, project, first);
    const tested = quietly('verification', () => baseline.done);
    const history = found === null ? undefined : quietly('history', () => untilHistory(place));
    try {
      const launched = await runStage(store, 'agent', async () => {
        const { agent, ...rest } = await (launching ?? this.#launch(place, turn));
        // One that was started before its repository came has looked at an empty folder.
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

  /** A turn that ended because nothing may be spent any more waits for a person; it has not failed. */
  #judge({ turnId }: Turn, end: TurnEnd): TurnEnd {
    const isFailure = end.kind === 'fail' || end.outcome.kind === 'failed';
    const pause = isFailure ? this.#tools.purse().pauseOf(turnId) : undefined;
    return pause === undefined ? end : { kind: 'finish', outcome: pause };
  }

  /** Evidence about the branch as it is now, without a turn. */
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
      return fail('unavailable', 'The sandbox is not running.', 'It is brought back by itself.');
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
    const asked = [withUnreached(current?.text ?? '', unreached), ...firstNotes(state)];
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
        text: withRefusals(store, asked.join('\n\n'), place.settings.egress.allow),
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
   * The conversation is read before the files and stored after them: an agent that remembers work which is not there would
   * leave it out.
   */
  async #checkpoint(place: TurnPlace, agent: Agent, throttle: CheckpointThrottle): Promise<void> {
    const { store } = this.#tools;
    await quietly('checkpoint', async () => {
      const said = await throttle
        .runIfDue(() => readConversation(agent, place))
        .catch(() => undefined);
      store.record(await saveCheckpoint(await gitDeps(place, this.#deps)));
      if (said !== undefined) await storeConversation(said, place, this.#parts.artifacts);
    });
  }

  /** Even of a turn that was stopped or failed: the work so far is kept. */
  async #keep(place: TurnPlace, agent: Agent): Promise<void> {
    await quietly('conversation', async () => {
      const said = await readConversation(agent, place);
      if (said !== undefined) await storeConversation(said, place, this.#parts.artifacts);
    });
  }
}
