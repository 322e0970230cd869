/** A forge with a repository, a person’s clone of it, and a session that works on it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evolveGit, NO_GIT_YET, type PullRequestFacts } from '@ship/core';
import { createId, type GitState, type SessionEvent } from '@ship/protocol';
import { type ForgeOptions, type RunningForge, startForge } from '@ship/forge';
import {
  connectForge,
  type Forge,
  type GitDeps,
  type SessionFacts,
} from '../../../src/git/index.ts';
import { localShell } from './local-shell.ts';
import { git, repository } from './git.ts';

export interface World {
  folder: string;
  server: RunningForge;
  /** A repository with one commit on its default branch, and a person's working copy of it. */
  newRepository(options?: { branch?: string; isEmpty?: boolean }): Promise<TestRepository>;
  close(): Promise<void>;
}

export interface TestRepository {
  name: string;
  url: string;
  person: string;
  forge: Forge;
  session(change?: Partial<SessionFacts>): TestSession;
}

export const people = {
  author: { name: 'Ada Lovelace', email: '1+ada@users.noreply.localhost' },
  committer: { name: 'Ship', email: '2+ship@users.noreply.localhost' },
  agent: { name: 'OpenCode', email: 'agent@users.noreply.localhost' },
};

/** A session as its Durable Object holds it: state, with events folded into it. */
export class TestSession {
  git: GitState = NO_GIT_YET;
  readonly events: SessionEvent[] = [];
  #deps: Omit<GitDeps, 'git'>;

  constructor(deps: Omit<GitDeps, 'git'>) {
    this.#deps = deps;
  }

  get folder(): string {
    return this.#deps.folder;
  }

  get deps(): GitDeps {
    return { ...this.#deps, git: this.git };
  }

  get branch(): string {
    return this.git.branch ?? '';
  }

  record(events: readonly SessionEvent[]): string[] {
    for (const event of events) {
      this.events.push(event);
      this.git = evolveGit(this.git, { ...event, seq: this.events.length, at: this.events.length });
    }
    return events.map(({ type }) => type);
  }

  /** The same session on another repository. */
  on(forge: Forge, url: string): TestSession {
    return new TestSession({ ...this.#deps, forge, remoteFor: async () => url });
  }

  /** The same session after its sandbox was lost. */
  inNewSandbox(folder: string): TestSession {
    const next = new TestSession({ ...this.#deps, folder });
    next.git = this.git;
    return next;
  }
}

export const turn = (prompt = 'Fix the total', summary: string | null = 'Fixed the total.') => ({
  turnId: createId('turn'),
  summary,
  pullRequest: (state: GitState): PullRequestFacts => ({
    title: 'Fix the total',
    rounds: [
      {
        turnId: createId('turn'),
        promptId: createId('prm'),
        kind: 'person',
        asked: prompt,
        said: summary ?? '',
        change: null,
        whole: null,
        toolFailures: 0,
      },
    ],
    verification: null,
    whyNotVerified: null,
    confidence: null,
    changes: null,
    commits: state.commits,
    costUsd: 0.12,
    model: 'demo/scripted',
    sessionUrl: 'http://ship.localhost:4400/sessions/x',
  }),
});

export async function newWorld(options: Partial<ForgeOptions> = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'ship-git-'));
  const server = await startForge({ root: join(folder, 'forge'), ...options });
  const bindings = { FORGE_API_URL: server.apiUrl, FORGE_GIT_URL: server.gitUrl };
  let count = 0;
  return {
    folder,
    server,
    async newRepository({ branch = 'main', isEmpty = false } = {}) {
      const name = `app-${count++}`;
      await fetch(`${server.apiUrl}/user/repos`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, default_branch: branch }),
      });
      const url = `${server.gitUrl}/local/${name}.git`;
      const person = join(folder, `person-${name}`);
      if (!isEmpty) {
        await repository(person, branch);
        await git(person, 'remote', 'add', 'origin', url);
        await git(person, 'push', '-q', 'origin', branch);
      }
      const forge = await connectForge(url, bindings);
      // With an unknown size, clones are shallow: the harder case.
      const known = forge.repository.bind(forge);
      forge.repository = async () => ({ ...(await known()), sizeKb: 0 });
      let sandboxes = 0;
      return {
        name,
        url,
        person,
        forge,
        session: (change = {}) =>
          new TestSession({
            shell: localShell,
            folder: join(folder, `sandbox-${name}-${sandboxes++}`),
            forge,
            remoteFor: async () => url,
            session: {
              sessionId: createId('ses'),
              title: 'Fix the total',
              createdAtMs: Date.now(),
              cardId: null,
              base: null,
              branch: null,
              ...change,
            },
            people,
          }),
      };
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
