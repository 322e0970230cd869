import {
  EDITOR_INTEGRITY,
  EDITOR_PORT,
  EDITOR_VERSION as VERSION,
  SHARED_EDITOR_FOLDER,
} from '@ship/core';
import { type EditorTarget, type EditorView, ShipFailure, fail } from '@ship/protocol';
import { foreignFailure } from '../../sandbox/failure.ts';
import type { SandboxPort } from '../../sandbox/port.ts';
import type { SessionStore } from '../session-store.ts';
import { REPOSITORY_FOLDER } from '../workshop/git-work.ts';
import type { EditorHost } from './host.ts';
import { EDITOR_SCRIPT, FORGET_SCRIPT, SHOW_SCRIPT, STATUS_SCRIPT } from './scripts.ts';
import { readStatus, viewOf } from './status.ts';

const FOLDER = '/home/user/.local/share/ship-editor';
const SCRIPT_TIMEOUT_MS = 10_000;

/**
 * VS Code in the sandbox. Where the machine shares one copy with its sandboxes, the host installs it; elsewhere the sandbox
 * installs its own. Only the sandbox knows what runs.
 */
export class EditorService {
  readonly #store: SessionStore;
  readonly #service: () => Promise<SandboxPort>;
  readonly #host: EditorHost | undefined;
  /** Requested, and waiting for the host. Lost with this object: the client then reads `off` and asks again. */
  #isRequested = false;

  constructor(
    store: SessionStore,
    service: () => Promise<SandboxPort>,
    host: EditorHost | undefined,
  ) {
    this.#store = store;
    this.#service = service;
    this.#host = host;
  }

  async look(): Promise<EditorView> {
    const seen = await this.#readStatus();
    if (!this.#isRequested || seen.state !== 'off' || this.#host === undefined) return seen;
    const shared = await this.#host.ask('status');
    return shared.state === 'ready' ? this.#start() : viewOf(shared);
  }

  /** Idempotent: a second call finds the first one in progress. */
  async open(): Promise<EditorView> {
    const seen = await this.#readStatus();
    if (seen.state === 'preparing' || seen.state === 'ready') return seen;
    const found = await this.#run(FORGET_SCRIPT, FOLDER, VERSION, SHARED_EDITOR_FOLDER);
    if (this.#host === undefined || found !== 'shared') return this.#start();
    const shared = await this.#host.ask('install');
    if (shared.state === 'ready') return this.#start();
    this.#isRequested = true;
    return viewOf(shared);
  }

  /** Jumps to a line in the editor that is open in a browser, without reloading it. */
  async show({ path, line }: EditorTarget): Promise<boolean> {
    const file = path.startsWith('/') ? path : `${REPOSITORY_FOLDER}/${path}`;
    const message = JSON.stringify({
      type: 'open',
      fileURIs: [`file://${file.split('/').map(encodeURIComponent).join('/')}:${line}:1`],
      folderURIs: [],
      forceReuseWindow: true,
      gotoLineMode: true,
    });
    return (await this.#run(SHOW_SCRIPT, FOLDER, encodeURIComponent(file), message)) === 'shown';
  }

  async #readStatus(): Promise<EditorView> {
    return readStatus(await this.#run(STATUS_SCRIPT, FOLDER), EDITOR_PORT);
  }

  async #start(): Promise<EditorView> {
    this.#isRequested = false;
    const sandboxId = this.#sandboxId();
    const place = [VERSION, String(EDITOR_PORT), REPOSITORY_FOLDER, SHARED_EDITOR_FOLDER] as const;
    const given = [...place, EDITOR_INTEGRITY];
    await this.#ask((service) =>
      service.start(sandboxId, { argv: ['bash', '-c', EDITOR_SCRIPT, FOLDER, ...given] }),
    );
    return {
      state: 'preparing',
      step: 'start',
      since: Date.now(),
      where: 'sandbox',
      megabytes: null,
    };
  }

  async #run(script: string, ...given: readonly string[]): Promise<string> {
    const sandboxId = this.#sandboxId();
    const argv = ['bash', '-c', script, ...given] as const;
    const { stdout } = await this.#ask((service) =>
      service.run(sandboxId, { argv, timeoutMs: SCRIPT_TIMEOUT_MS }),
    );
    return stdout.trimEnd();
  }

  #sandboxId(): string {
    const { state } = this.#store;
    if (state === undefined)
      return fail('not-found', 'There is no such session.', 'List the sessions and pick one.');
    if (state.sandbox.status === 'running') return state.sandbox.sandboxId;
    return fail(
      'no-sandbox',
      'The editor runs in the sandbox, which is not running.',
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
