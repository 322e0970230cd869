import { needsNewEvidence } from '@ship/core';
import { refreshPullRequest } from '../../git/index.ts';
import { quietly } from '../../platform/quietly.ts';
import { pullRequestFacts } from '../workshop/delivery.ts';
import { knownEvidence, sizeOf } from '../workshop/evidence.ts';
import type { Access } from './access.ts';

interface RenewalTools {
  /** Nothing else changes the working tree meanwhile. */
  exclusively: (work: () => Promise<void>) => Promise<void>;
  wake: () => Promise<unknown>;
  verifyAgain: (stop: AbortSignal) => Promise<void>;
}

/** Tests the branch again, in the background, when its newest commit is not the one that was tested. A prompt goes first. */
export class EvidenceRenewal {
  readonly #access: Access;
  readonly #tools: RenewalTools;
  #running: AbortController | undefined;
  /** One attempt for each commit: what failed once would fail with every look at the forge. */
  #triedFor: string | null = null;

  constructor(access: Access, tools: RenewalTools) {
    this.#access = access;
    this.#tools = tools;
  }

  /** Ends a run: the turn that comes tests its own work. */
  yieldToPrompt(): void {
    this.#running?.abort();
    this.#triedFor = null;
  }

  async runIfDue(): Promise<void> {
    const { state } = this.#access;
    const { tip } = this.#access;
    if (this.#running !== undefined || tip === this.#triedFor || !needsNewEvidence(state)) return;
    this.#triedFor = tip;
    await this.#access.keepMemory();
    // A prompt may have come meanwhile.
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
      this.#tools.exclusively(async () => {
        if (isAsleep) await this.#tools.wake();
        await this.#tools.verifyAgain(running.signal);
      }),
    );
    this.#running = undefined;
  }
  /** Without a sandbox nothing can be tested: readers of the pull request are told at least. */
  async #markStale(): Promise<void> {
    const { store, workshop, state } = this.#access;
    const { git } = state;
    const place = { state: () => this.#access.state };
    const seen = { ...git, headSha: git.outside?.sha ?? git.headSha };
    const forge = await this.#access.forge();
    const { baseSha, headSha } = seen;
    const diff =
      baseSha === null || headSha === null ? null : await forge.compare(baseSha, headSha);
    const evidence = knownEvidence(place, diff === null ? null : sizeOf(diff));
    const facts = pullRequestFacts(place, workshop, evidence, seen, null);
    store.record(await refreshPullRequest({ forge, git }, facts));
  }
}
