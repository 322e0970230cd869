import { type Boundary, fingerprint } from '@ship/core';
import { fail } from '@ship/protocol';
import type { SandboxPort } from '../../sandbox/port.ts';
import type { Agent, AgentConfig, AgentLaunch, AgentLauncher } from '../port.ts';
import { OpencodeAgent } from './agent.ts';
import { AGENT_FOLDER, NO_MODELS } from './config.ts';
import { isConversation } from './conversation.ts';
import { opencodeEnvironment } from './environment.ts';
import { attempt } from './failure.ts';
import { LAUNCH_SCRIPT, NOT_READY, REST_SCRIPT, STOP_SCRIPT, WAKE_SCRIPT } from './scripts.ts';
import { OpencodeServer } from './server.ts';

const AGENT_PORT = 4096;
const SANDBOX: Boundary = 'sandbox';

export interface LauncherTimes {
  readyTimeoutMs: number;
  /** One check whether it runs already; a request that comes too early is never answered. */
  healthTimeoutMs: number;
}

const DEFAULT_TIMES: LauncherTimes = {
  readyTimeoutMs: 90_000,
  healthTimeoutMs: 1_000,
};

/** Beyond its own timeout, for a machine that is too busy to keep it. */
const GRACE_MS = 20_000;

/** The path below the agent's folder, and the content. */
type AgentFile = readonly [path: string, text: string];

const instructionFiles = ({ instructions }: AgentConfig): AgentFile[] =>
  instructions.map(({ name, text }) => [`instructions/${name}.md`, text]);

const skillFiles = ({ skills }: AgentConfig): AgentFile[] =>
  skills.map(({ name, text }) => [`skills/${name}/SKILL.md`, text]);

/** Instructions are read for every prompt: changing them needs no restart. Everything else is read once. */
function versionOf(env: Record<string, string>, config: AgentConfig) {
  const process = `${fingerprint(JSON.stringify([env, config.skills]))}-`;
  return { process, whole: `${process}${fingerprint(JSON.stringify(config.instructions))}` };
}

/** Starts `opencode serve` in a sandbox and finds it again. */
export class OpencodeLauncher implements AgentLauncher {
  readonly #sandboxes: SandboxPort;
  readonly #times: LauncherTimes;

  constructor(sandboxes: SandboxPort, times: Partial<LauncherTimes> = {}) {
    this.#sandboxes = sandboxes;
    this.#times = { ...DEFAULT_TIMES, ...times };
  }

  async launch(launch: AgentLaunch): Promise<Agent> {
    const { sandboxId, config, password, restore } = launch;
    const address = await attempt(SANDBOX, () => this.#sandboxes.reach(sandboxId, AGENT_PORT));
    const server = new OpencodeServer(address, password, config.folder);
    const env = opencodeEnvironment(launch);
    const version = versionOf(env, config);
    const agent = new OpencodeAgent(server, {
      readFile: (path) => this.#sandboxes.readFile(sandboxId, path),
      rest: async () => {
        await this.#script(sandboxId, REST_SCRIPT);
      },
    });
    const running = launch.isFresh ? '' : await this.#runningVersion(server, sandboxId);
    if (running === version.whole) return agent;
    if (running.startsWith(version.process)) {
      await this.#writeFiles(sandboxId, instructionFiles(config));
      // Last: after a crash in between, the files are written again.
      await this.#writeFiles(sandboxId, [['version', version.whole]]);
      return agent;
    }

    await this.#writeFiles(sandboxId, [
      [NO_MODELS.name, NO_MODELS.text],
      ...instructionFiles(config),
      ...skillFiles(config),
    ]);
    if (restore !== null && isConversation(restore)) await this.#restore(launch, restore, env);
    await this.#start(sandboxId, version.whole, env);
    return agent;
  }

  /**
   * Empty when no agent answers. The request is sent while the agent is woken, and its timeout starts after that, since waking
   * may take long on a busy machine.
   */
  async #runningVersion(server: OpencodeServer, sandboxId: string): Promise<string> {
    const abort = new AbortController();
    const answering = server.isHealthy(abort.signal);
    try {
      const { stdout } = await this.#script(sandboxId, WAKE_SCRIPT);
      const version = stdout.trim();
      if (version === '') return '';
      const timer = setTimeout(() => abort.abort(), this.#times.healthTimeoutMs);
      const isHealthy = await answering;
      clearTimeout(timer);
      return isHealthy ? version : '';
    } finally {
      abort.abort();
    }
  }

  #script(sandboxId: string, script: string) {
    return attempt(SANDBOX, () =>
      this.#sandboxes.run(sandboxId, {
        argv: ['bash', '-c', script, AGENT_FOLDER],
        timeoutMs: GRACE_MS,
      }),
    );
  }

  async #writeFiles(sandboxId: string, files: readonly AgentFile[]): Promise<void> {
    await Promise.all(
      files.map(([path, text]) =>
        attempt(SANDBOX, () =>
          this.#sandboxes.writeFile(sandboxId, `${AGENT_FOLDER}/${path}`, text),
        ),
      ),
    );
  }

  /** Runs while no server does: OpenCode's own command writes into its database. Known messages stay as they are. */
  async #restore(
    { sandboxId, config }: AgentLaunch,
    exported: string,
    env: Record<string, string>,
  ): Promise<void> {
    await this.#script(sandboxId, STOP_SCRIPT);
    const path = `${AGENT_FOLDER}/restore.json`;
    await attempt(SANDBOX, () => this.#sandboxes.writeFile(sandboxId, path, exported));
    const { stdout } = await attempt(SANDBOX, () =>
      this.#sandboxes.run(sandboxId, {
        argv: ['opencode', 'import', path],
        cwd: config.folder,
        env,
        timeoutMs: this.#times.readyTimeoutMs,
      }),
    );
    if (!stdout.includes('Imported session')) {
      fail(
        'not-understood',
        'The agent could not restore its earlier conversation.',
        'Continue without it: the files are unchanged.',
      );
    }
  }

  async #start(sandboxId: string, version: string, env: Record<string, string>): Promise<void> {
    const { readyTimeoutMs } = this.#times;
    const seconds = String(readyTimeoutMs / 1000);
    const { exitCode } = await attempt(SANDBOX, () =>
      this.#sandboxes.run(sandboxId, {
        argv: ['bash', '-c', LAUNCH_SCRIPT, AGENT_FOLDER, version, String(AGENT_PORT), seconds],
        env,
        timeoutMs: readyTimeoutMs + GRACE_MS,
      }),
    );
    if (exitCode === 0) return;
    if (exitCode === NOT_READY.late)
      fail('timed-out', 'The agent did not start in time.', 'Ship retries automatically.');
    fail(
      'unavailable',
      'The agent exited while it started.',
      `Ship retries automatically; ${AGENT_FOLDER}/log in the sandbox says why it exited.`,
    );
  }
}
