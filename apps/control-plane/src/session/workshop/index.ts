import { DEFAULT_AGENT_LIMITS } from '@ship/core';
import { type LiveEvent, type Settings, type Turn, fail } from '@ship/protocol';
import type { Agent } from '../../agent/port.ts';
import { saveCheckpoint } from '../../git/index.ts';
import { log } from '../../platform/log.ts';
import { maskFor } from '../../platform/mask.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import { sessionArtifact } from '../artifact-key.ts';
import type { ArtifactSink } from '../ingest/draft.ts';
import type { SessionParts } from '../parts.ts';
import { providerOf } from '../provider.ts';
import type { PurseDesk } from '../purse-desk.ts';
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
import { type Found, bringIn } from './bring-in.ts';
import { deliver } from './delivery.ts';
import { askForRepair, gatherEvidence } from './evidence.ts';
import { limitEgress } from './egress.ts';
import { ForeseenForge } from './foreseen-forge.ts';
import { gitDeps } from './git-work.ts';
import { type SetUp, keepForOthers } from './kept-setup.ts';
import type { ModelAccess, TurnBench, TurnPlace, WorkshopParts } from './parts.ts';
import { nameBranch, nameSession } from './naming.ts';
import { Pace } from './pace.ts';
import { runSetup, startServices } from './setup.ts';
import { isDone, runStage } from './stages.ts';
import { retryServers, tellMissing } from './tool-servers.ts';
import { type VerifyDeps, verifyBefore } from './verify.ts';
import { eventsOfTurn } from './words.ts';

export interface WorkshopTools {
  store: SessionStore;
  settings: () => Promise<Settings>;
  live: (event: LiveEvent) => void;
  /** Lets people know how the turn ended while its work is still being delivered. */
  end: (turn: Turn, end: TurnEnd) => void;
  purse: () => Pick<PurseDesk, 'pauseOf' | 'flush'>;
}

/**
 * Where a turn is worked on: the repository is brought in, prepared, the agent started, prompted and followed, and what it
 * changed is delivered. Every step looks first at what is there already, so all of it may be called again after a crash.
 */
export class Workshop {
  readonly #parts: SessionParts;
  readonly #shop: WorkshopParts;
  readonly #tools: WorkshopTools;
  readonly #foreseen: ForeseenForge;

  constructor(parts: SessionParts, shop: WorkshopParts, tools: WorkshopTools) {
    this.#parts = parts;
    this.#shop = shop;
    this.#tools = tools;
    this.#foreseen = new ForeseenForge(shop.forge);
  }

  foresee(): void {
    const { state } = this.#tools.store;
    if (state !== undefined) this.#foreseen.ask(state);
  }

  async drive(turn: Turn, stop: AbortSignal): Promise<TurnEnd> {
    const { store } = this.#tools;
    const bench = await this.#enter();
    const isNew = !isDone(store, 'clone');
    const isRestored = bench.state().git.branch !== null;
    const naming = this.#quietly('naming', () => nameSession(store, this.#shop, stop));
    const launching = this.#launchEarly(bench, turn);
    const prepared = await this.#prepare(bench, launching, turn, stop).catch(
      async (thrown: unknown) => {
        // It is never left behind for the next attempt to find.
        await launching?.catch(() => undefined);
        throw thrown;
      },
    );
    const { place, agent, models, granted, checks, setUp } = prepared;
    // Not waited for: a server that hangs is slow to be known, and the turn does without it.
    let isAsked = true;
    void this.#quietly('tool-servers', () =>
      tellMissing(agent, granted, store, turn.turnId),
    ).finally(() => (isAsked = false));
    const end = this.#judge(turn, await this.#work(place, agent, models, turn, stop));
    await this.#quietly('usage', () => this.#tools.purse().flush());
    if (end.kind === 'fail') return end;
    // Who presses Stop wants to see it at once, not when the work so far has been pushed.
    if (end.outcome.kind === 'stopped') this.#tools.end(turn, end);
    const layAside = async () => {
      await this.#keep(place, agent);
      // Waited for, so that it never falls into the next turn. One that still owes us an answer stays awake.
      if (!isAsked) await this.#quietly('rest', () => agent.rest());
    };
    // Side by side: the agent has ended, and what it said does not change with what is run now.
    const [evidence] = await Promise.all([gatherEvidence(checks, turn, end, stop), layAside()]);
    // Begun with the turn, and long over: the pull request is to have the same title.
    await naming;
    await this.#quietly('branch', () => nameBranch(place, this.#shop, store));
    const { isDelivered } = await deliver(place, this.#shop, store, turn, evidence);
    // A conflict is a task of its own, and its turn is verified too.
    if (isDelivered) askForRepair(checks, evidence);
    // Now that nobody waits any more; the turn does not wait for it either.
    if (isNew)
      void this.#quietly('mirror', () => keepForOthers(place, this.#shop, setUp, isRestored));
    return end;
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
      () => launchAgent(bench, this.#shop, store, this.#parts.artifacts, turn),
      (thrown) => foreignFailure('sandbox', thrown).code,
    );
  }

  async #prepare(
    bench: TurnBench,
    launching: Promise<Launched> | undefined,
    turn: Turn,
    stop: AbortSignal,
  ) {
    const { store } = this.#tools;
    // While the repository comes in; nothing of it runs before.
    const limiting = limitEgress(bench, store.vitals);
    limiting.catch(() => undefined);
    const place: TurnPlace = { ...bench, forge: this.#foreseen.take(bench.state) };
    const found = await bringIn(place, this.#shop, store);
    await limiting;
    const setUp = found === null ? null : await this.#setUp(place, found);
    // Whatever a setup has run may have changed what was found.
    const survey = setUp === null ? found : null;
    const checks = this.#checks(place);
    // While the agent starts. What looks is never left behind for the next attempt to find.
    const baseline = (async () => {
      if (survey?.hasServices !== false) await this.#quietly('start', () => startServices(place));
      const before = () => verifyBefore(checks, turn.turnId, stop, survey);
      await this.#quietly('verification', before);
    })();
    try {
      const launched = await runStage(store, 'agent', async () => {
        const { agent, ...rest } = await (launching ?? this.#launch(place, turn));
        // One that was started before its repository came has looked at an empty folder.
        if (found?.isMissed === true) await this.#quietly('reload', () => agent.reload());
        if (found !== null)
          await this.#quietly('tool-servers', () => retryServers(agent, rest.granted));
        return { agent, ...rest };
      });
      return { place, checks, setUp, ...launched };
    } finally {
      await baseline;
    }
  }

  /** A turn that ended because nothing may be spent any more waits for a person; it has not failed. */
  #judge({ turnId }: Turn, end: TurnEnd): TurnEnd {
    const isFailure = end.kind === 'fail' || end.outcome.kind === 'failed';
    const pause = isFailure ? this.#tools.purse().pauseOf(turnId) : undefined;
    return pause === undefined ? end : { kind: 'finish', outcome: pause };
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
    const port = this.#parts.sandboxes(providerOf(store.vitals, settings));
    const secrets = await this.#shop.secrets(state().repository);
    return { state, settings, port, sandboxId, secrets, mask: maskFor(Object.values(secrets)) };
  }

  async #setUp(place: TurnPlace, found: Found): Promise<SetUp | null> {
    const { store } = this.#tools;
    if (isDone(store, 'setup')) return null;
    return runStage(store, 'setup', () =>
      runSetup(place, this.#shop, store, this.#artifacts(place), found),
    );
  }

  async #work(
    place: TurnPlace,
    agent: Agent,
    { isPriced }: ModelAccess,
    { turnId, promptId, attempt }: Turn,
    stop: AbortSignal,
  ): Promise<TurnEnd> {
    const { store, live } = this.#tools;
    const { sessionId, title, current, model, agent: known } = place.state();
    const { limits } = place.settings;
    const attachments = await readAttachments(this.#parts.artifacts, sessionId, current);
    const pace = new Pace();
    return runTurn(
      {
        agent,
        record: async (events) => store.record(events),
        live,
        state: () => place.state().agent,
        eventsOfTurn: (id) => eventsOfTurn(store, id),
        artifacts: this.#artifacts(place),
        afterStep: () => this.#checkpoint(place, agent, pace),
        now: Date.now,
        stop,
        limits: {
          ...DEFAULT_AGENT_LIMITS,
          maxSteps: limits.maxStepsPerTurn,
          turnTimeoutMs: limits.turnTimeoutMs,
          toolFailures: limits.toolFailures,
        },
      },
      {
        turnId,
        promptId,
        attempt,
        title,
        text: current?.text ?? '',
        attachments,
        model,
        mode: known.mode,
        isPriced,
      },
    );
  }

  #checks(place: TurnPlace): VerifyDeps {
    const artifacts = this.#artifacts(place);
    return { place, parts: this.#shop, store: this.#tools.store, artifacts };
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
  async #checkpoint(place: TurnPlace, agent: Agent, pace: Pace): Promise<void> {
    const { store } = this.#tools;
    await this.#quietly('checkpoint', async () => {
      const said = await pace.whenDue(() => readConversation(agent, place)).catch(() => undefined);
      store.record(await saveCheckpoint(await gitDeps(place, this.#shop)));
      if (said !== undefined) await storeConversation(said, place, this.#parts.artifacts);
    });
  }

  /** Even of a turn that was stopped or failed: the work so far is kept. */
  async #keep(place: TurnPlace, agent: Agent): Promise<void> {
    await this.#quietly('conversation', async () => {
      const said = await readConversation(agent, place);
      if (said !== undefined) await storeConversation(said, place, this.#parts.artifacts);
    });
  }

  /** What could not be saved now is saved with the next step; the turn is not to fail with it. */
  async #quietly(what: string, save: () => Promise<void>): Promise<void> {
    try {
      await save();
    } catch (thrown) {
      const { code } = foreignFailure('sandbox', thrown);
      log('warn', `${what}.failed`, { code });
    }
  }
}
