import { type SandboxStep, DEFAULT_RETRY_POLICY, nextRetry } from '@ship/core';
import type { SessionState, Settings, ShipError } from '@ship/protocol';
import { MIRROR_FOLDER } from '../git/mirror/template.ts';
import { log } from '../platform/log.ts';
import { foreignFailure } from '../sandbox/failure.ts';
import type { WarmPoolPort } from '../warm-pool/deps.ts';
import type { SandboxPort } from '../sandbox/port.ts';
import type { SandboxServices } from '../sandbox/services.ts';
import { providerOf, rememberProvider, rememberedProvider } from './provider.ts';
import type { SessionStore } from './session-store.ts';

const TEMPLATE = 'base';
const MINUTE_MS = 60_000;
/** How long the sandbox service waits for a heartbeat before it freezes the sandbox automatically. E2B grants an hour at most. */
const MIN_TIMEOUT_MS = 10 * MINUTE_MS;
const MAX_TIMEOUT_MS = 60 * MINUTE_MS;
const MAX_BACKOFF_MS = 5 * MINUTE_MS;

/** Captured sandboxes that the session's sandbox may be created from, the best first. */
export type PreferredTemplates = (
  state: SessionState,
  settings: Settings,
  port: SandboxPort,
) => Promise<readonly string[]>;

/**
 * Does the steps that the plan asks for and stores what it observes. Every step is idempotent: after a crash nothing tells
 * whether the first run arrived.
 */
export class Lifecycle {
  readonly #store: SessionStore;
  readonly #services: SandboxServices;
  readonly #reserve: WarmPoolPort;
  readonly #preferredTemplates: PreferredTemplates;

  constructor(
    store: SessionStore,
    services: SandboxServices,
    reserve: WarmPoolPort,
    preferredTemplates: PreferredTemplates,
  ) {
    this.#store = store;
    this.#services = services;
    this.#reserve = reserve;
    this.#preferredTemplates = preferredTemplates;
  }

  async perform(step: SandboxStep, state: SessionState, settings: Settings): Promise<void> {
    const fields = { session: state.sessionId, step };
    try {
      await this.#store.trace.span(
        `sandbox.${step}`,
        () => this.#step(step, state, settings),
        (thrown) => foreignFailure('sandbox', thrown).code,
      );
      this.#store.metadata.write('service-failures', 0);
      if (step !== 'heartbeat') log('info', 'sandbox.step', fields);
    } catch (thrown) {
      const error = foreignFailure('sandbox', thrown);
      log('warn', 'sandbox.step-failed', { ...fields, code: error.code });
      this.#failed(step, error);
    }
  }

  async #step(step: SandboxStep, state: SessionState, settings: Settings): Promise<void> {
    if (step === 'create') return this.#create(state, settings);
    const port = this.portOf(settings);
    if (step === 'sweep') return this.#sweep(port, state);
    if (!('sandboxId' in state.sandbox)) return;
    const { sandboxId } = state.sandbox;
    switch (step) {
      case 'resume':
        return this.resume(port, sandboxId, settings);
      case 'heartbeat':
        return this.#heartbeat(port, sandboxId, settings);
      case 'mark-evictable':
        // Stored first: after a crash in between, the sandbox is merely checked once too often before it is used.
        this.#store.metadata.write('evictable-since', Date.now());
        return port.markEvictable(sandboxId);
      case 'freeze':
        // The service may have evicted it already: then nothing is left to freeze.
        await this.check(port, sandboxId);
        if (this.#store.state?.sandbox.status !== 'running') return;
        return this.freeze(port, sandboxId, false);
      case 'sleep':
        await port.sleep(sandboxId);
        return this.#observe({ type: 'sandbox.found-asleep', sandboxId });
      case 'destroy': {
        const isClosed = state.activity.status === 'closed';
        return this.destroy(port, sandboxId, isClosed ? 'closed' : 'idle');
      }
    }
  }

  portOf(settings: Settings): SandboxPort {
    return this.#services(providerOf(this.#store.metadata, settings));
  }

  /** Adopts the sandbox of an interrupted create; destroys duplicates and records them. */
  async #create(state: SessionState, settings: Settings): Promise<void> {
    const startedAt = Date.now();
    this.#observe({ type: 'sandbox.request' });
    if (this.#store.state?.sandbox.status !== 'starting') return;
    // The pooled sandbox for this session may still be being prepared.
    await this.#reserve.settle(state.sessionId);
    const port = await this.#choose(state, settings);
    const [found, ...strays] = await port.findAll(state.sessionId);
    const sandboxId = found ?? (await this.#make(port, state, settings));
    if (found !== undefined) await port.wake(found, timeoutOf(settings));
    this.#store.metadata.write('evictable-since', 0);
    this.#observe({ type: 'sandbox.found-ready', sandboxId });
    this.#store.metadata.write('last-checked-at', Date.now());
    const durationMs = Date.now() - startedAt;
    this.#observe({ type: 'stage.finish', stage: 'sandbox', durationMs, error: null });
    for (const stray of strays) {
      await port.destroy(stray);
      this.#observe({ type: 'sandbox.stray-found', sandboxId: stray });
    }
  }

  /** Stores the provider before it is called. Sandboxes at the previous provider are destroyed, if it still answers. */
  async #choose({ sessionId }: SessionState, { sandboxProvider }: Settings): Promise<SandboxPort> {
    const before = rememberedProvider(this.#store.metadata);
    const port = this.#services(sandboxProvider);
    rememberProvider(this.#store.metadata, sandboxProvider);
    if (before !== undefined && before !== sandboxProvider) {
      try {
        const left = this.#services(before);
        for (const sandboxId of await left.findAll(sessionId)) await left.destroy(sandboxId);
      } catch (thrown) {
        const { code } = foreignFailure('sandbox', thrown);
        log('warn', 'sandbox.not-swept', { session: sessionId, provider: before, code });
      }
    }
    return port;
  }

  async #make(port: SandboxPort, state: SessionState, settings: Settings): Promise<string> {
    return port.create({
      sessionId: state.sessionId,
      template: TEMPLATE,
      preferred: await this.#preferredTemplates(state, settings, port),
      timeoutMs: timeoutOf(settings),
      env: {},
      egress: settings.egress.allow,
      readOnly: [MIRROR_FOLDER],
    });
  }

  async #sweep(port: SandboxPort, { sessionId }: SessionState): Promise<void> {
    for (const sandboxId of await port.findAll(sessionId)) await port.destroy(sandboxId);
    this.#observe({ type: 'sandbox.swept' });
  }

  /** Reports processes as kept only if the service still had them just before. */
  async resume(port: SandboxPort, sandboxId: string, settings: Settings): Promise<void> {
    const before = await port.presence(sandboxId);
    if (before === 'absent') return this.#recordGone(sandboxId);
    await port.wake(sandboxId, timeoutOf(settings));
    this.#store.metadata.write('evictable-since', 0);
    // The sandbox was resumed for a user who is about to use it: it must not count as idle at once.
    this.#store.metadata.write('last-viewed-at', Date.now());
    const wasAsleep = this.#store.state?.sandbox.status === 'asleep';
    const processes = before === 'asleep' || wasAsleep ? 'lost' : 'kept';
    this.#observe({ type: 'sandbox.found-awake', sandboxId, processes });
    this.#store.metadata.write('last-checked-at', Date.now());
  }

  async #heartbeat(port: SandboxPort, sandboxId: string, settings: Settings): Promise<void> {
    await this.check(port, sandboxId);
    if (this.#store.state?.sandbox.status !== 'running') return;
    await port.wake(sandboxId, timeoutOf(settings));
    this.#store.metadata.write('evictable-since', 0);
  }

  /**
   * Call before any work in the sandbox outside of a turn: afterwards the service keeps its memory, or the sandbox is known to
   * be asleep. If the service does not answer, the work itself fails.
   */
  async preventEviction(settings: () => Promise<Settings>): Promise<void> {
    const sandbox = this.#store.state?.sandbox;
    if (sandbox?.status !== 'running' || !this.isEvictable) return;
    const { sandboxId } = sandbox;
    const wanted = await settings();
    await this.#heartbeat(this.portOf(wanted), sandboxId, wanted).catch(() => undefined);
  }

  /** The service may evict the idle sandbox from memory. */
  get isEvictable(): boolean {
    return this.#store.metadata.read('evictable-since') !== 0;
  }

  /** Reads the sandbox's presence and stores a change. */
  async check(port: SandboxPort, sandboxId: string): Promise<void> {
    const presence = await port.presence(sandboxId);
    this.#store.metadata.write('last-checked-at', Date.now());
    switch (presence) {
      case 'running':
        return this.#observe({ type: 'sandbox.found-awake', sandboxId, processes: 'kept' });
      case 'frozen':
        return this.#observe({ type: 'sandbox.found-frozen', sandboxId, byPerson: false });
      case 'asleep':
        return this.#observe({ type: 'sandbox.found-asleep', sandboxId });
      case 'absent':
        return this.#recordGone(sandboxId);
    }
  }

  /** Whether the service still has the session's sandbox and it runs. No answer counts as no. */
  async isRunning(settings: () => Promise<Settings>): Promise<boolean> {
    const sandbox = this.#store.state?.sandbox;
    if (sandbox === undefined || !('sandboxId' in sandbox)) return false;
    try {
      return (await this.portOf(await settings()).presence(sandbox.sandboxId)) === 'running';
    } catch {
      return false;
    }
  }

  async freeze(port: SandboxPort, sandboxId: string, byPerson: boolean): Promise<void> {
    await port.freeze(sandboxId);
    this.#observe({ type: 'sandbox.found-frozen', sandboxId, byPerson });
  }

  async destroy(
    port: SandboxPort,
    sandboxId: string,
    reason: 'idle' | 'closed' | 'asked',
  ): Promise<void> {
    await port.destroy(sandboxId);
    this.#observe({ type: 'sandbox.ended', sandboxId, reason });
  }

  #recordGone(sandboxId: string): void {
    const reason = 'The sandbox service no longer has this sandbox.';
    this.#observe({ type: 'sandbox.found-gone', sandboxId, reason });
  }

  #failed(step: SandboxStep, error: ShipError): void {
    if (step === 'create') {
      this.#observe({ type: 'sandbox.found-failing', error, jitter: Math.random() });
      return;
    }
    const sandbox = this.#store.state?.sandbox;
    // Without a key nothing can be destroyed there any more: that must not keep a session from closing.
    if (error.code === 'not-configured' && this.#store.state?.activity.status === 'closed') {
      this.#observe({ type: 'sandbox.swept' });
      if (sandbox !== undefined && 'sandboxId' in sandbox)
        this.#observe({
          type: 'sandbox.found-gone',
          sandboxId: sandbox.sandboxId,
          reason: error.message,
        });
      return;
    }
    if (error.code === 'gone' && sandbox !== undefined && 'sandboxId' in sandbox)
      return this.#recordGone(sandbox.sandboxId);
    const failures = this.#store.metadata.read('service-failures') + 1;
    this.#store.metadata.write('service-failures', failures);
    const { maxAttempts } = DEFAULT_RETRY_POLICY;
    // A person waits for a resume: after a bounded number of tries the sandbox is given up and replaced.
    if (step === 'resume' && failures >= maxAttempts && sandbox && 'sandboxId' in sandbox) {
      const reason = `It could not be resumed: ${error.message}`;
      this.#observe({ type: 'sandbox.found-gone', sandboxId: sandbox.sandboxId, reason });
      return;
    }
    const wait = nextRetry('transient', Math.min(failures, maxAttempts - 1), 1, {
      ...DEFAULT_RETRY_POLICY,
      maxDelayMs: MAX_BACKOFF_MS,
    });
    this.#store.metadata.write('service-quiet-until', Date.now() + (wait?.delayMs ?? 0));
  }

  #observe(observation: Parameters<SessionStore['observe']>[0]): void {
    this.#store.observe(observation);
  }
}

/** Longer than the idle time after which Ship freezes the sandbox: the service's own timeout is only for when Ship is down. */
function timeoutOf({ idle }: Settings): number {
  return Math.min(MAX_TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, idle.pauseAfterMs + MINUTE_MS));
}
