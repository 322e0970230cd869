import { type Facts, type Plan, DEFAULT_SANDBOX_POLICY, hasWork, plan } from '@ship/core';
import type { CommandRequest, SessionState, Settings } from '@ship/protocol';
import type { Alarm } from './alarm.ts';
import { gateOfIsolate } from './alarm-gate.ts';
import type { PullRequestService } from './pull-request/index.ts';
import { Lifecycle } from './lifecycle.ts';
import type { SessionParts } from './parts.ts';
import { OutboxSender } from './outbox-sender.ts';
import type { SessionStore } from './session-store.ts';
import { SettingsCache } from './settings-cache.ts';
import { Slot } from './slot.ts';
import type { TurnSupervisor } from './turn-supervisor.ts';
import type { Watchers } from './watchers.ts';
import { preferredTemplates } from './workshop/kept-setup.ts';

/** Each pass does what is due; without a limit, a plan that never settles would loop forever. */
const MAX_PASSES = 50;
/** When the object reconciles again if the process dies during a step. */
const SAFETY_MS = 10_000;
const DELETION_MS = 2_000;

/**
 * Does what the plan says until nothing is due, then sets the one alarm to the time at which something will be. After a crash
 * at any point, the alarm makes the object reconcile again.
 */
export class Reconciler {
  readonly lifecycle: Lifecycle;
  readonly #store: SessionStore;
  readonly #parts: SessionParts;
  readonly #watchers: Watchers;
  readonly #turns: TurnSupervisor;
  readonly #alarm: Alarm;
  readonly #git: PullRequestService;
  readonly #settings: SettingsCache;
  readonly #outbox: OutboxSender;
  readonly #slot: Slot;
  #running: Promise<void> | undefined;
  #isRequested = false;

  constructor(
    store: SessionStore,
    parts: SessionParts,
    watchers: Watchers,
    turns: TurnSupervisor,
    alarm: Alarm,
    git: PullRequestService,
  ) {
    this.#store = store;
    this.#parts = parts;
    this.#watchers = watchers;
    this.#turns = turns;
    this.#alarm = alarm;
    this.#git = git;
    this.#settings = new SettingsCache(() => parts.workspace.settings());
    this.#outbox = new OutboxSender(store.outbox, parts.workspace);
    this.#slot = new Slot(store, parts.workspace);
    const templates = preferredTemplates(parts.workshop);
    this.lifecycle = new Lifecycle(store, parts.sandboxes, parts.reserve, templates);
  }

  /**
   * Called after every change. Sets the alarm together with the change, so that no acknowledged command is forgotten. Undefined
   * when there is nothing to wait for.
   */
  schedule(): Promise<void> | undefined {
    const nowMs = Date.now();
    this.#alarm.noLaterThan(nowMs + SAFETY_MS);
    return this.#isSettled(nowMs) ? undefined : this.#reconcile();
  }

  /**
   * The alarm fired. If the process dies meanwhile, the platform fires it again, so no safety alarm is set here: it would fire,
   * find nothing and set the next one, and an idle session would be woken every few seconds forever.
   */
  async onAlarm(): Promise<void> {
    const name = this.#store.state?.sessionId ?? '';
    if (!this.#alarm.onAlarmInTurn(gateOfIsolate, name, Date.now())) return;
    try {
      await this.#reconcile();
    } catch (thrown) {
      // The platform gives up after a few failures in a row; a session must not.
      this.#alarm.noLaterThan(Date.now() + SAFETY_MS);
      throw thrown;
    }
  }

  #reconcile(): Promise<void> {
    this.#isRequested = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Call before any work in the sandbox that is not part of a turn. */
  preventEviction(): Promise<void> {
    return this.lifecycle.preventEviction(() => this.settings());
  }

  settings(): Promise<Settings> {
    return this.#settings.read();
  }

  /** A person who sends a prompt may have changed the settings for it; one who retries may have fixed the cause first. */
  onCommand({ type }: CommandRequest['command']): void {
    const status = this.#store.state?.sandbox.status;
    const isStuck = status === 'failed' || status === 'retrying';
    // A prompt must run with the current settings, such as the egress allow-list.
    if (type === 'prompt.enqueue') {
      this.#settings.forget();
      this.#git.yieldToPrompt();
    }
    if (type === 'turn.retry' || (type === 'prompt.enqueue' && isStuck)) this.#resetBackoff();
  }

  #resetBackoff(): void {
    this.#settings.forget();
    this.#store.metadata.write('service-failures', 0);
    this.#store.metadata.write('service-quiet-until', 0);
  }

  async #run(): Promise<void> {
    for (let pass = 0; pass < MAX_PASSES && this.#takeRequest(); pass++) {
      // A prompt does not wait for the workspace's lists: reports are sent while the session works.
      await Promise.all([this.#outbox.deliverDue(Date.now()), this.#act()]);
      // Inside the loop: a request that arrives during this await would otherwise wait for the alarm.
      const settings = await this.#settings.read();
      const { state } = this.#store;
      const nowMs = Date.now();
      const planned = state && this.#plan(state, settings, nowMs);
      this.#alarm.set(this.#nextWake(planned, this.#otherWakeTimes(), nowMs));
    }
  }

  async #act(): Promise<void> {
    await this.#watchers.endRevoked(this.#parts.workspace);
    await this.#slot.renewOrRelease();
    await this.#doWhatIsDue();
  }

  /**
   * True when reconciling would find nothing to do, as after most changes, such as a text of the agent or an edit of a person:
   * skips awaiting every component in turn, which would also delay the platform.
   */
  #isSettled(nowMs: number): boolean {
    const { state } = this.#store;
    const settings = this.#settings.freshAt(nowMs);
    if (this.#running !== undefined || state === undefined || settings === undefined) return false;
    const times = this.#otherWakeTimes();
    if (times.some((at) => at !== null && at <= nowMs) || this.#slot.isDue(nowMs)) return false;
    this.#watchers.remember(nowMs);
    const planned = this.#plan(state, settings, nowMs);
    if (planned.due.length > 0) return false;
    this.#alarm.set(this.#nextWake(planned, times, nowMs));
    return true;
  }

  /** Wake times from outside the plan. */
  #otherWakeTimes(): (number | null)[] {
    return [this.#store.outbox.nextAt(), this.#watchers.nextCheckAt()];
  }

  #takeRequest(): boolean {
    const wasRequested = this.#isRequested;
    this.#isRequested = false;
    return wasRequested;
  }

  async #doWhatIsDue(): Promise<void> {
    const state = this.#store.state;
    if (state === undefined) return;
    const settings = await this.#settings.read();
    const nowMs = Date.now();
    this.#watchers.remember(nowMs);
    for (const step of this.#plan(state, settings, nowMs).due) {
      if (step.kind === 'turn') {
        // A turn that was begun before a crash continues without waiting for a slot.
        const mayWork = await this.#slot.take(state);
        if (mayWork || step.step === 'drive') this.#turns.advance(step.step);
        this.#isRequested = true;
      } else if (step.kind === 'forge') {
        // A closed session has no prompt that could wait; its deletion waits for this step.
        if (step.step === 'tidy') await this.#git.tidy();
        // Not awaited: a slow forge must not delay a prompt.
        else void this.#git.observe();
      } else if (Date.now() >= this.#store.metadata.read('service-quiet-until')) {
        const { seq } = state;
        const mustCheckFirst = this.#mustCheckFirst();
        if (step.step === 'create' && hasWork(state)) this.#turns.prefetch();
        await this.lifecycle.perform(step.step, state, settings);
        const isTurnReleased = mustCheckFirst && !this.#mustCheckFirst();
        // A step that changed nothing would be due again at once.
        if (this.#store.state?.seq === seq && !isTurnReleased) continue;
        this.#isRequested = true;
        // The rest of the plan was made for a sandbox that has changed or is gone.
        return;
      }
    }
  }

  /** No turn begins until the sandbox has been checked. */
  #mustCheckFirst(): boolean {
    return this.#store.metadata.read('last-checked-at') === 0 || this.lifecycle.isEvictable;
  }

  #plan(state: SessionState, { idle }: Settings, nowMs: number): Plan {
    return plan(state, this.#facts(nowMs), nowMs, {
      ...DEFAULT_SANDBOX_POLICY,
      evictableAfterMs: Math.min(DEFAULT_SANDBOX_POLICY.evictableAfterMs, idle.pauseAfterMs / 4),
      freezeAfterMs: idle.pauseAfterMs,
      sleepAfterMs: idle.sleepAfterMs,
      destroyAfterMs: idle.destroyAfterMs,
    });
  }

  #facts(nowMs: number): Facts {
    const { metadata } = this.#store;
    return {
      hasViewers: this.#watchers.count() > 0,
      lastViewedAt: metadata.read('last-viewed-at'),
      lastCheckedAt: metadata.read('last-checked-at'),
      isEvictable: this.lifecycle.isEvictable,
      hasAgent: this.#turns.hasAgent,
      isTurnDriven: this.#turns.isBusy,
      isBranchChanging: this.#git.isBusy,
      noTurnBefore: Math.max(this.#slot.askAgainAt, this.#git.isBusy ? nowMs + 1_000 : 0),
      lastObservedAt: metadata.read('forge-observed-at'),
      tidyAttempts: metadata.read('forge-tidy-attempts'),
      tidyTriedAt: metadata.read('forge-tidy-tried-at'),
    };
  }

  #nextWake(
    planned: Plan | undefined,
    others: readonly (number | null)[],
    nowMs: number,
  ): number | null {
    const times = [...others];
    // The work on a turn lives in memory only: if the process dies, the alarm resumes it then.
    if (this.#turns.isBusy) times.push(nowMs + SAFETY_MS);
    // The alarm continues the deletion once nothing of the session is left outside.
    if (this.#store.metadata.read('deleting') !== 0) times.push(nowMs + DELETION_MS);
    if (planned !== undefined) {
      const { due, nextAt } = planned;
      const quietUntil = this.#store.metadata.read('service-quiet-until');
      times.push(due.length > 0 ? Math.max(quietUntil, nowMs + 1_000) : nextAt);
    }
    const known = times.filter((time) => time !== null);
    return known.length === 0 ? null : Math.min(...known);
  }
}
