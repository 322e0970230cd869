/** The real OpenCode binary with a given configuration, driven over its HTTP API. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { opencodeEnvironment } from '../../../../scripts/testing/opencode-environment.ts';
import { listening } from '../../../../scripts/testing/opencode-listening.ts';

/** Resolved from the demo model, which installs the agent for tests. */
const BINARY_PACKAGE = `opencode-linux-${process.arch}`;
const here = createRequire(import.meta.url);
const require = createRequire(here.resolve('@ship/demo-model'));

export interface AgentAnswer {
  cost: number;
  error?: {
    name: string;
    data: { statusCode?: number; isRetryable?: boolean; responseBody?: string };
  };
  text: string;
}

interface Message {
  info: { role: string; cost?: number; error?: NonNullable<AgentAnswer['error']> };
  parts: { type: string; text?: string }[];
}

export class OpenCodeServer {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly folder: string;

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#child = child;
    this.#url = url;
    this.folder = folder;
  }

  static async start(config: object, env: Record<string, string>): Promise<OpenCodeServer> {
    const folder = mkdtempSync(join(tmpdir(), 'ship-opencode-'));
    const binary = join(
      dirname(require.resolve(`${BINARY_PACKAGE}/package.json`)),
      'bin',
      'opencode',
    );
    const port = await freePort();
    const child = spawn(binary, ['serve', '--port', String(port), '--hostname', '127.0.0.1'], {
      cwd: folder,
      env: { ...opencodeEnvironment(folder, { permission: { '*': 'allow' }, ...config }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new OpenCodeServer(child, await listening(child), folder);
  }

  /** One turn in a new session, until it has ended. */
  async turn(model: string, text: string): Promise<AgentAnswer> {
    const [providerID, modelID] = model.split('/');
    const { id } = await this.#post<{ id: string }>('/session', { title: 'test' });
    const body = { model: { providerID, modelID }, parts: [{ type: 'text', text }] };
    await this.#post(`/session/${id}/message`, body);
    const messages = (await this.#get<Message[]>(`/session/${id}/message`)).filter(
      ({ info }) => info.role === 'assistant',
    );
    const error = messages.at(-1)?.info.error;
    return {
      cost: messages.reduce((sum, { info }) => sum + (info.cost ?? 0), 0),
      text: messages
        .flatMap(({ parts }) => parts)
        .flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : []))
        .join('\n'),
      ...(error !== undefined && { error }),
    };
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exit = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await exit;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #post<Answer>(path: string, body: object): Promise<Answer> {
    const response = await fetch(this.#address(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  async #get<Answer>(path: string): Promise<Answer> {
    return (await (await fetch(this.#address(path))).json()) as Answer;
  }

  #address(path: string): string {
    return `${this.#url}${path}?directory=${encodeURIComponent(this.folder)}`;
  }
}
