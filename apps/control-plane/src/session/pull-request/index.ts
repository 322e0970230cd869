import { MAX_TIDY_ATTEMPTS, openTurn } from '@ship/core';
import {
  type BaseUpdate,
  type Diff,
  type FolderListing,
  type FoundFiles,
  type GitState,
  type MergeMethod,
  type PullRequestView,
  type SessionEvent,
  ShipFailure,
  type TurnId,
  fail,
} from '@ship/protocol';
import {
  type Forge,
  closePullRequest,
  editPullRequest,
  foldedWith,
  markReady,
  mergePullRequest,
  observeForge,
  tidyBranch,
  tidySession,
} from '../../git/index.ts';
import { log } from '../../platform/log.ts';
import { foreignFailure } from '../../sandbox/failure.ts';
import type { RequestKey } from '../session-store.ts';
import { type Access, noSandbox } from './access.ts';
import { updateBranch } from './base-update.ts';
import { sessionDiff } from './diff.ts';
import { EvidenceRenewal } from './evidence-renewal.ts';
import { searchFiles } from './file-search.ts';
import { type FileContent, listFolder, readFile } from './files.ts';
import { viewOf } from './view.ts';

export type PullRequestChange =
  | { kind: 'ready' }
  | { kind: 'close' }
  | { kind: 'edit'; title: string | undefined; body: string | undefined }
  | { kind: 'merge'; method: MergeMethod; headSha: string };

interface PullRequestDeps {
  /** A turn is running, or its work is still being delivered. */
  isTurnDriven: () => boolean;
  /** Wakes a frozen or sleeping sandbox. */
  wake: () => Promise<unknown>;
  /** Work that waited for a change of the branch may continue. */
  onIdle: () => void;
  /** Verifies the branch as it is now, without a turn. */
  verifyAgain: (stop: AbortSignal) => Promise<void>;
}

/** Diffs, files and the pull request of a session, and people's actions on it. */
export class PullRequestService {
  readonly #access: Access;
  readonly #deps: PullRequestDeps;
  readonly #evidence: EvidenceRenewal;
  #isChanging = false;
  #isObserving = false;
  #isTidying = false;

  constructor(access: Access, deps: PullRequestDeps) {
    this.#access = access;
    this.#deps = deps;
    this.#evidence = new EvidenceRenewal(access, {
      exclusively: (work) => this.#exclusively(work),
      wake: deps.wake,
      verifyAgain: deps.verifyAgain,
    });
  }

  /** A change of the branch is in progress: no turn may begin in the same working tree. */
  get isBusy(): boolean {
    return this.#isChanging;
  }

  /** A prompt was sent: cancels background work. */
  yieldToPrompt(): void {
    this.#evidence.yieldToPrompt();
  }

  /** The turn may have merged commits that its own verification did not see. */
  onTurnEnd(): void {
    if (this.#access.store.state !== undefined) void this.#renewEvidence();
  }

  diff(turn: TurnId | undefined): Promise<Diff> {
    return sessionDiff(this.#access, turn);
  }

  /** The changes that a merge would bring, without anything unpushed: people must review exactly what gets merged. */
  async pullRequestDiff(): Promise<Diff> {
    const { number } = this.#known();
    const forge = await this.#access.forge();
    const { headSha } = await forge.pullRequest(number);
    return forge.compare(this.#access.state.git.baseSha ?? noSandbox('The first commit'), headSha);
  }

  folder(path: string): Promise<FolderListing> {
    return listFolder(this.#access, path);
  }

  search(query: string): Promise<FoundFiles> {
    return searchFiles(this.#access, query);
  }

  file(path: string): Promise<FileContent> {
    return readFile(this.#access, path);
  }

  /** Reads the current state; records changes made by others on the way. */
  async pullRequest(): Promise<PullRequestView> {
    const { number } = this.#known();
    const forge = await this.#access.forge();
    const view = await viewOf(this.#access.state.sessionId, forge, number);
    await this.#recordChanges(forge);
    return view;
  }

  async change(asked: RequestKey, change: PullRequestChange): Promise<PullRequestView> {
    const { number } = this.#known();
    const forge = await this.#access.forge();
    await this.#once(asked, () => {
      if (change.kind === 'merge') this.#refuseWhileWorking('merge');
      return this.#exclusively(async () => {
        const { git } = this.#access.state;
        const events = await act(change, { forge, git });
        return [...events, ...(await this.#tidyMerged(forge, foldedWith(git, events)))];
      });
    });
    return viewOf(this.#access.state.sessionId, forge, number);
  }

  async updateFromBase(asked: RequestKey): Promise<BaseUpdate> {
    const { sessionId, git } = this.#access.state;
    // The answer to a repeated request.
    const update: BaseUpdate =
      git.conflict === null
        ? { sessionId, outcome: 'up-to-date', files: [] }
        : { sessionId, outcome: 'conflicted', files: git.conflict.files };
    await this.#once(asked, () => {
      this.#refuseWhileWorking('update the branch');
      return this.#exclusively(async () => {
        const { status } = this.#access.state.sandbox;
        if (status === 'frozen' || status === 'asleep') await this.#deps.wake();
        const place = (await this.#access.place()) ?? noSandbox('The branch');
        const done = await updateBranch(place, this.#access);
        Object.assign(update, done.update);
        return done.events;
      });
    });
    void this.#renewEvidence();
    return update;
  }

  /** Records what others did at the forge. Never fails: the plan checks again before long. */
  async observe(): Promise<void> {
    this.#access.store.metadata.write('forge-observed-at', Date.now());
    try {
      await this.#recordChanges(await this.#access.forge());
    } catch (thrown) {
      const { code } = foreignFailure('forge', thrown);
      log('warn', 'forge.not-observed', { session: this.#access.state.sessionId, code });
    }
  }

  /** Deletes what a closed session has at the forge. The plan retries a few times. */
  async tidy(): Promise<void> {
    const { metadata } = this.#access.store;
    if (this.#isTidying) return;
    this.#isTidying = true;
    metadata.write('forge-tidy-tried-at', Date.now());
    metadata.write('forge-tidy-attempts', metadata.read('forge-tidy-attempts') + 1);
    try {
      const { sessionId, git } = this.#access.state;
      const rule = await this.#access.deleteBranch();
      const forge = await this.#access.forge();
      this.#access.store.record(await tidySession({ forge, git }, sessionId, rule));
      metadata.write('forge-tidy-attempts', MAX_TIDY_ATTEMPTS);
    } catch (thrown) {
      const { code } = foreignFailure('forge', thrown);
      log('warn', 'forge.not-tidied', {
        session: this.#access.store.state?.sessionId ?? null,
        code,
      });
    } finally {
      this.#isTidying = false;
    }
  }

  /** The merge stands even if the branch could not be deleted: a closed session tries again. */
  async #tidyMerged(forge: Forge, git: GitState): Promise<SessionEvent[]> {
    try {
      const isEnded = this.#access.state.activity.status === 'closed';
      return await tidyBranch({ forge, git }, await this.#access.deleteBranch(), { isEnded });
    } catch (thrown) {
      const { code } = foreignFailure('forge', thrown);
      log('warn', 'forge.branch-left', { session: this.#access.state.sessionId, code });
      return [];
    }
  }

  async #recordChanges(forge: Forge): Promise<void> {
    if (this.#isObserving || this.#isWorking()) return;
    this.#isObserving = true;
    try {
      const { git } = this.#access.state;
      const observed = await observeForge({ forge, git });
      const events = [...observed, ...(await this.#tidyMerged(forge, foldedWith(git, observed)))];
      // Ship's own push or merge meanwhile would look like another person's.
      if (this.#access.state.git === git && !this.#isWorking()) this.#access.store.record(events);
    } finally {
      this.#isObserving = false;
    }
    void this.#renewEvidence();
  }

  async #renewEvidence(): Promise<void> {
    if (!this.#isWorking()) await this.#evidence.runIfDue();
  }

  /** Idempotent by request id; a request that failed may be repeated. */
  async #once(asked: RequestKey, work: () => Promise<readonly SessionEvent[]>): Promise<void> {
    const { store } = this.#access;
    const earlier = store.answered(asked);
    if (earlier?.kind === 'rejected') throw new ShipFailure(earlier.error);
    if (earlier !== undefined) return;
    store.conclude(asked, await work());
  }

  async #exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#isChanging) busy('Another change of the branch is in progress.');
    this.#isChanging = true;
    try {
      return await work();
    } finally {
      this.#isChanging = false;
      this.#deps.onIdle();
    }
  }

  #refuseWhileWorking(what: string): void {
    if (this.#deps.isTurnDriven() || openTurn(this.#access.state.activity) !== undefined)
      busy(`The agent is working: its newest work would be missing. Cannot ${what} now.`);
  }

  #isWorking(): boolean {
    const { activity } = this.#access.state;
    return this.#isChanging || this.#deps.isTurnDriven() || openTurn(activity) !== undefined;
  }

  #known() {
    return (
      this.#access.state.git.pullRequest ??
      fail(
        'no-pull-request',
        'This session has no pull request yet.',
        'Ship opens a draft with the first change of the agent.',
      )
    );
  }
}

type ChangeDeps = Parameters<typeof markReady>[0];

function act(change: PullRequestChange, deps: ChangeDeps): Promise<SessionEvent[]> {
  switch (change.kind) {
    case 'ready':
      return markReady(deps);
    case 'close':
      return closePullRequest(deps);
    case 'edit':
      return editPullRequest(deps, change);
    case 'merge':
      return mergePullRequest(deps, change.method, change.headSha);
  }
}

function busy(message: string): never {
  return fail('session-busy', message, 'Wait until it ends, or stop the agent, and try again.');
}
