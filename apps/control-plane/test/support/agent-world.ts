/** A real sandbox with the real OpenCode in it, and a proxy to the scripted model in place of the gateway. */
import { join } from 'node:path';
import { type DemoModel, type ScriptFile, parseScript, startDemoModel } from '@ship/demo-model';
import { createId } from '@ship/protocol';
import { type SandboxServer, startSandboxServer } from '@ship/sandbox-server';
import { preparedDataFolder } from '../../../../scripts/testing/prepared-data.ts';
import { OpencodeLauncher } from '../../src/agent/opencode/launcher.ts';
import {
  type Agent,
  type AgentConfig,
  type AgentModel,
  DEFAULT_SILENCE,
} from '../../src/agent/port.ts';
import { E2bSandboxes } from '../../src/sandbox/e2b.ts';
import { type ModelProxy, openModelProxy } from './model-proxy.ts';
import { removeFolder } from '../../../../scripts/testing/remove-folder.ts';

export const FOLDER = '/home/user/repository';
const API_KEY = 'e2b_0123456789';
const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

function model(id: string, changes: Partial<AgentModel> = {}): AgentModel {
  return {
    id,
    name: id,
    contextTokens: 128_000,
    outputTokens: 8192,
    price,
    isReasoning: true,
    takesImages: true,
    ...changes,
  };
}

export class AgentWorld {
  readonly model: DemoModel;
  readonly sandboxes: E2bSandboxes;
  readonly sandboxId: string;
  readonly config: AgentConfig;
  readonly launcher: OpencodeLauncher;
  readonly #server: SandboxServer;
  readonly door: ModelProxy;
  readonly #data: string;

  private constructor(parts: {
    model: DemoModel;
    sandboxes: E2bSandboxes;
    sandboxId: string;
    server: SandboxServer;
    door: ModelProxy;
    data: string;
  }) {
    this.model = parts.model;
    this.sandboxes = parts.sandboxes;
    this.sandboxId = parts.sandboxId;
    this.#server = parts.server;
    this.door = parts.door;
    this.#data = parts.data;
    this.launcher = new OpencodeLauncher(parts.sandboxes);
    this.config = {
      folder: FOLDER,
      // The second provider has short timeouts, so that tests of hangs are fast.
      providers: (['demo', 'hasty'] as const).map((id) => ({
        id,
        protocol: 'chat',
        baseUrl: 'http://127.0.0.1:7001/v1',
        models: [model('demo'), model('demo-small'), model('unpriced', { price: null })],
        silence: id === 'demo' ? DEFAULT_SILENCE : { headersMs: 1000, chunkMs: 1000 },
      })),
      smallModel: 'demo/demo-small',
      gatewayToken: 'token-of-this-session',
      permissions: { bash: { '*': 'allow', 'echo careful*': 'ask' } },
      instructions: [],
      skills: [],
      mcp: {},
    };
  }

  static async open(rules: ScriptFile['rules']): Promise<AgentWorld> {
    const script = parseScript({
      name: 'agent',
      rules,
      models: [
        { id: 'demo', price },
        { id: 'demo-small', price },
        { id: 'unpriced', price: null },
      ],
    });
    const demo = await startDemoModel({ script });
    const door = await openModelProxy(demo.baseUrl);
    const data = await preparedDataFolder();
    const server = await startSandboxServer({
      apiKey: API_KEY,
      dataDir: join(data, 'sandboxes'),
      gateways: { models: { address: door.address } },
    });
    const { apiUrl, sandboxUrl } = server;
    const sandboxes = new E2bSandboxes({ apiKey: API_KEY, apiUrl, sandboxUrl });
    const sandboxId = await sandboxes.create({
      sessionId: createId('ses'),
      template: 'base',
      timeoutMs: 900_000,
      env: {},
      egress: [],
    });
    const world = new AgentWorld({ model: demo, sandboxes, sandboxId, server, door, data });
    await world.become({ 'README.md': '# Repository\n' });
    return world;
  }

  launch(
    changes: Partial<AgentConfig> = {},
    restore: string | null = null,
    isFresh = false,
  ): Promise<Agent> {
    const { sandboxId, config } = this;
    return this.launcher.launch({
      sandboxId,
      config: { ...config, ...changes },
      password: 'password-of-this-sandbox',
      env: {},
      restore,
      isFresh,
    });
  }

  /** Replaces the contents of the same folder: the agent takes seconds to open each new folder. */
  async become(files: Record<string, string>): Promise<void> {
    await this.shell(
      `mkdir -p ${FOLDER} && cd ${FOLDER} && (git rev-parse -q HEAD >/dev/null 2>&1 || git init -q -b main) && find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +`,
    );
    for (const [path, text] of Object.entries(files)) {
      await this.sandboxes.writeFile(this.sandboxId, `${FOLDER}/${path}`, text);
    }
    await this.shell(
      `cd ${FOLDER} && git add -A && git -c user.name=Demo -c user.email=demo@example.com commit -q --allow-empty -m state`,
    );
  }

  /** Returns the output of the command; a failing command is a mistake of the test. */
  async shell(script: string): Promise<string> {
    const { exitCode, stdout, stderr } = await this.sandboxes.run(this.sandboxId, {
      argv: ['bash', '-c', script],
      timeoutMs: 30_000,
    });
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr}`);
    return stdout;
  }

  read(path: string): Promise<string> {
    return this.sandboxes.readFile(this.sandboxId, `${FOLDER}/${path}`);
  }

  async close(): Promise<void> {
    await this.#server.close('stop');
    await this.door.close();
    await this.model.close();
    removeFolder(this.#data);
  }
}
