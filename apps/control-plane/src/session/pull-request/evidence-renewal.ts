import { needsNewEvidence } from '@ship/core';
import { refreshPullRequest } from '../../git/index.ts';
import { quietly } from '../../platform/quietly.ts';
import { pullRequestFacts } from '../workshop/delivery.ts';
import { knownEvidence, sizeOf } from '../workshop/evidence.ts';
import type { Access } from './access.ts';

interface RenewalDeps {
  /** Excludes all other changes of the working tree. */
  exclusively: (work: () => Promise<void>) => Promise<void>;
  wake: () => Promise<unknown>;
  verifyAgain: (stop: AbortSignal) => Promise<void>;
}

/** Verifies the branch again in the background when its newest commit was not verified. A prompt takes precedence. */
export class EvidenceRenewal {
  readonly #access: Access;
  readonly #deps: RenewalDeps;
  #running: AbortController | undefined;
  /** One attempt per commit: a failure would otherwise repeat with every check of the forge. */
  #triedFor: string | null = null;

  constructor(access: Access, deps: RenewalDeps) {
    this.#access = access;
    this.#deps = deps;
  }

  /** Cancels a run: the coming turn verifies its own work. */
  yieldToPrompt(): void {
    this.#running?.abort();
    this.#triedFor = null;
  }

  async runIfDue(): Promise<void> {
    const { state } = this.#access;
    const { tip } = this.#access;
    if (this.#running !== undefined || tip === this.#triedFor || !needsNewEvidence(state)) return;
    this.#triedFor = tip;
    await this.#access.preventEviction();
    // A prompt may have arrived meanwhile.
    if (this.#triedFor !== tip) return;
    const { sandbox } = this.#access.state;
    const { status } = sandbox;
    // A sandbox that a person paused stays paused.
    const isPaused = status === 'frozen' && sandbox.byPerson;
    const isAsleep = (status === 'frozen' && !isPaused) || status === 'asleep';
    if (status !== 'running' && !isAsleep) return quietly('evidence', () => this.#markStale());
    const running = new AbortController();
    this.#running = running;
    await quietly('evidence', () =>
      this.#deps.exclusively(async () => {
        if (isAsleep) await this.#deps.wake();
        await this.#deps.verifyAgain(running.signal);
      }),
    );
    this.#running = undefined;
  }
  /** Without a sandbox nothing can be verified, but the pull request can say that its evidence is outdated. */
  async #markStale(): Promise<void> {
    const { store, workshop, state } = this.#access;
    const { git } = state;
    const place = { state: () => this.#access.state };
    const current = { ...git, headSha: git.outside?.sha ?? git.headSha };
    const forge = await this.#access.forge();
    const { baseSha, headSha } = current;
    const diff =
      baseSha === null || headSha === null ? null : await forge.compare(baseSha, headSha);
    const evidence = knownEvidence(place, diff === null ? null : sizeOf(diff));
    const facts = pullRequestFacts(place, workshop, evidence, current, null);
    store.record(await refreshPullRequest({ forge, git }, facts));
  }
}
