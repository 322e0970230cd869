import { isOwnPort, listeningPorts } from '@ship/core';
import { type PortList, type SessionState, ShipFailure, fail } from '@ship/protocol';
import type { Credential } from '../../platform/credential.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import type { PortAddress, SandboxPort } from '../../sandbox/port.ts';
import type { WorkspacePort } from '../parts.ts';
import type { SessionStore } from '../session-store.ts';
import { PassHolders } from './holders.ts';
import { type Pass, PortPasses } from './passes.ts';

/** Several clients may poll every few seconds; they share one call to the sandbox. */
const LIST_KEPT_MS = 1_500;
const LIST_TIMEOUT_MS = 10_000;
/** Viewing a port counts as use of the sandbox, but not every request needs a write. */
const VIEWED_PRECISION_MS = 30_000;
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/** Where a port is reached, and the credentials that the browser's access depends on. */
export interface OpenPort extends Pass {
  address: PortAddress;
}

/** Ports of the sandbox for browsers: lists them, controls access, and resolves their addresses. */
export class PortProxy {
  readonly #store: SessionStore;
  readonly #passes: PortPasses;
  readonly #holders: PassHolders;
  readonly #service: () => Promise<SandboxPort>;
  #listed: { sandboxId: string; at: number; list: Promise<PortList> } | undefined;

  constructor(
    sql: SqlStorage,
    store: SessionStore,
    service: () => Promise<SandboxPort>,
    workspace: Pick<WorkspacePort, 'endedCredentials'>,
  ) {
    this.#store = store;
    this.#passes = new PortPasses(sql);
    this.#holders = new PassHolders(workspace);
    this.#service = service;
  }

  /** Nothing listens in a sandbox that does not run: listing must not wake it. */
  async list(): Promise<PortList> {
    const { sandbox } = this.#state();
    if (sandbox.status !== 'running' || !(await this.#isAwake())) return { ports: [] };
    const { sandboxId } = sandbox;
    const kept = this.#listed;
    if (kept?.sandboxId === sandboxId && Date.now() - kept.at < LIST_KEPT_MS) return kept.list;
    const list = this.#readTables(sandboxId);
    this.#listed = { sandboxId, at: Date.now(), list };
    return list;
  }

  async ticket(
    port: number,
    credentials: Credential[],
  ): Promise<{ ticket: string; expiresAt: number }> {
    this.#state();
    refuseOwn(port);
    const pass = { port, credentials };
    const { value, endsAt } = await this.#passes.issue('ticket', pass, Date.now());
    return { ticket: value, expiresAt: endsAt };
  }

  /** Exchanges an unused ticket for a cookie's value. */
  async redeem(port: number, ticket: string): Promise<string> {
    this.#state();
    const pass = await this.#passes.redeem(ticket, port, Date.now());
    if (pass === undefined || !(await this.#holders.hasAccess(pass)))
      return fail(
        'forbidden',
        'This link was already used or has expired.',
        'Open the port from its session in Ship again.',
      );
    return (await this.#passes.issue('cookie', { ...pass, port }, Date.now())).value;
  }

  /** Checked on every request: the pass may have expired, and the sandbox may sleep. */
  async open(port: number, cookies: readonly string[]): Promise<OpenPort> {
    const { sandbox } = this.#state();
    const passes = isOwnPort(port) ? [] : await this.#passes.opened(cookies, port, Date.now());
    const [pass] = await this.#holders.withAccess(passes);
    if (pass === undefined)
      return fail(
        'unauthenticated',
        'This browser has no access to this port.',
        'Open the port from its session in Ship.',
      );
    if (sandbox.status !== 'running') return notRunning(sandbox.status);
    if (!(await this.#isAwake())) return notRunning(this.#state().sandbox.status);
    this.#noteViewed();
    const address = await this.#ask((service) => service.reach(sandbox.sandboxId, port));
    return { address, credentials: pass.credentials };
  }

  async #readTables(sandboxId: string): Promise<PortList> {
    const argv = ['cat', ...TABLES] as const;
    // Without IPv6 the second file is missing and `cat` fails; what it printed still counts.
    const { stdout } = await this.#ask((service) =>
      service.run(sandboxId, { argv, timeoutMs: LIST_TIMEOUT_MS }),
    );
    return { ports: listeningPorts(stdout) };
  }

  /** The service may have put an idle sandbox to sleep; calling it finds out. */
  async #isAwake(): Promise<boolean> {
    await this.#service();
    return this.#state().sandbox.status === 'running';
  }

  async #ask<Value>(call: (service: SandboxPort) => Promise<Value>): Promise<Value> {
    try {
      return await call(await this.#service());
    } catch (thrown) {
      throw new ShipFailure(foreignFailure('sandbox', thrown));
    }
  }

  #noteViewed(): void {
    const { metadata } = this.#store;
    const nowMs = Date.now();
    if (nowMs - metadata.read('last-viewed-at') > VIEWED_PRECISION_MS)
      metadata.write('last-viewed-at', nowMs);
  }

  #state(): SessionState {
    return (
      this.#store.state ??
      fail('not-found', 'There is no such session.', 'List the sessions and pick one.')
    );
  }
}

function refuseOwn(port: number): void {
  if (isOwnPort(port))
    fail(
      'forbidden',
      `Port ${port} belongs to Ship itself.`,
      'Make your program listen on another port.',
    );
}

function notRunning(status: SessionState['sandbox']['status']): never {
  const isResting = status === 'frozen' || status === 'asleep';
  return fail(
    'no-sandbox',
    isResting ? 'The sandbox is asleep.' : 'The session has no sandbox at the moment.',
    isResting
      ? 'Resume it in Ship: More actions, Resume the sandbox. This page continues automatically.'
      : 'Send a prompt: it brings one with the work so far. This page continues automatically.',
  );
}
