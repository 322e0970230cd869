import { EDITOR_PORT } from '@ship/core';
import { type EditorView, ShipFailure, fail } from '@ship/protocol';
import { foreignFailure } from '../../sandbox/failure.ts';
import type { SandboxPort } from '../../sandbox/port.ts';
import type { SessionStore } from '../session-store.ts';
import { REPOSITORY_FOLDER } from '../workshop/git-work.ts';
import { EDITOR_SCRIPT, FORGET_SCRIPT, STATUS_SCRIPT } from './scripts.ts';
import { readStatus } from './status.ts';

const VERSION = '4.139.1';
const FOLDER = '/home/user/.local/share/ship-editor';
const LOOK_TIMEOUT_MS = 10_000;

/** VS Code in the sandbox: brought there on first use, found again afterwards. All of its state is in the sandbox. */
export class EditorDesk {
  readonly #store: SessionStore;
  readonly #service: () => Promise<SandboxPort>;

  constructor(store: SessionStore, service: () => Promise<SandboxPort>) {
    this.#store = store;
    this.#service = service;
  }

  async look(): Promise<EditorView> {
    const sandboxId = this.#sandboxId();
    return this.#ask(async (service) => {
      const argv = ['bash', '-c', STATUS_SCRIPT, FOLDER] as const;
      const { stdout } = await service.run(sandboxId, { argv, timeoutMs: LOOK_TIMEOUT_MS });
      return readStatus(stdout, EDITOR_PORT);
    });
  }

  /** Twice is once: the second finds the first at work. */
  async open(): Promise<EditorView> {
    const seen = await this.look();
    if (seen.state === 'preparing' || seen.state === 'ready') return seen;
    const sandboxId = this.#sandboxId();
    const given = [VERSION, String(EDITOR_PORT), REPOSITORY_FOLDER] as const;
    await this.#ask(async (service) => {
      const forget = ['bash', '-c', FORGET_SCRIPT, FOLDER] as const;
      await service.run(sandboxId, { argv: forget, timeoutMs: LOOK_TIMEOUT_MS });
      await service.start(sandboxId, { argv: ['bash', '-c', EDITOR_SCRIPT, FOLDER, ...given] });
    });
    return { state: 'preparing', step: 'start', since: Date.now() };
  }

  #sandboxId(): string {
    const { state } = this.#store;
    if (state === undefined)
      return fail('not-found', 'There is no such session.', 'List the sessions and pick one.');
    if (state.sandbox.status === 'running') return state.sandbox.sandboxId;
    return fail(
      'no-sandbox',
      'The editor runs in the sandbox, which does not run at the moment.',
      'Wake the sandbox, or send a prompt.',
    );
  }

  async #ask<Value>(call: (service: SandboxPort) => Promise<Value>): Promise<Value> {
    try {
      return await call(await this.#service());
    } catch (thrown) {
      throw new ShipFailure(foreignFailure('sandbox', thrown));
    }
  }
}
