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
import type { AskedRequest } from '../session-store.ts';
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

interface DeskTools {
  /** A turn is being worked on, or its work still delivered. */
  isTurnDriven: () => boolean;
  /** Wakes a sandbox that is frozen or asleep. */
  wake: () => Promise<unknown>;
  /** What had to wait may go on. */
  onIdle: () => void;
  /** Tests the branch as it is now, without a turn. */
  verifyAgain: (stop: AbortSignal) => Promise<void>;
}

/** What people see of a session's work and do with its pull request. */
export class PullRequestService {
  readonly #access: Access;
  readonly #tools: DeskTools;
  readonly #evidence: EvidenceRenewal;
  #isChanging = false;
  #isLooking = false;
  #isTidying = false;

  constructor(access: Access, tools: DeskTools) {
    this.#access = access;
    this.#tools = tools;
    this.#evidence = new EvidenceRenewal(access, {
      exclusively: (work) => this.#exclusively(work),
      wake: tools.wake,
      verifyAgain: tools.verifyAgain,
    });
  }

  /** A change of ours is under way: no turn may begin in the same working tree. */
  get isBusy(): boolean {
    return this.#isChanging;
  }

  /** A person says something: what runs in the background ends. */
  yieldToPrompt(): void {
    this.#evidence.yieldToPrompt();
  }

  /** A turn may have merged commits that its own tests did not see. */
  onTurnEnd(): void {
    if (this.#access.store.state !== undefined) void this.#renewEvidence();
  }

  diff(turn: TurnId | undefined): Promise<Diff> {
    return sessionDiff(this.#access, turn);
  }

  /** What a merge would bring, and nothing that is not pushed: what is looked at must be what is merged. */
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

  /** As it is now; what others changed is recorded on the way. */
  async pullRequest(): Promise<PullRequestView> {
    const { number } = this.#known();
    const forge = await this.#access.forge();
    const view = await viewOf(this.#access.state.sessionId, forge, number);
    await this.#look(forge);
    return view;
  }

  async change(asked: AskedRequest, change: PullRequestChange): Promise<PullRequestView> {
    const { number } = this.#known();
    const forge = await this.#access.forge();
    await this.#once(asked, () => {
      if (change.kind === 'merge') this.#refuseWhileWorking('merge');
      return this.#exclusively(async () => {
        const { git } = this.#access.state;
        const events = await act(change, { forge, git });
        return [...events, ...(await this.#tidied(forge, foldedWith(git, events)))];
      });
    });
    return viewOf(this.#access.state.sessionId, forge, number);
  }

  async updateFromBase(asked: AskedRequest): Promise<BaseUpdate> {
    const { sessionId, git } = this.#access.state;
    // What a repeated request is told.
    const update: BaseUpdate =
      git.conflict === null
        ? { sessionId, outcome: 'up-to-date', files: [] }
        : { sessionId, outcome: 'conflicted', files: git.conflict.files };
    await this.#once(asked, () => {
      this.#refuseWhileWorking('update the branch');
      return this.#exclusively(async () => {
        const { status } = this.#access.state.sandbox;
        if (status === 'frozen' || status === 'asleep') await this.#tools.wake();
        const place = (await this.#access.place()) ?? noSandbox('The branch');
        const done = await updateBranch(place, this.#access);
        Object.assign(update, done.update);
        return done.events;
      });
    });
    void this.#renewEvidence();
    return update;
  }

  /** What others did at the forge is asked and recorded. Never an error: it is asked again before long. */
  async observe(): Promise<void> {
    this.#access.store.metadata.write('forge-observed-at', Date.now());
    try {
      await this.#look(await this.#access.forge());
    } catch (thrown) {
      const { code } = foreignFailure('forge', thrown);
      log('warn', 'forge.not-observed', { session: this.#access.state.sessionId, code });
    }
  }

  /** A closed session leaves nothing of its own at the forge. Tried again by the plan, a few times. */
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

  /** The merge stands, whatever becomes of the branch: a closed session tries again to delete it. */
  async #tidied(forge: Forge, git: GitState): Promise<SessionEvent[]> {
    try {
      const isEnded = this.#access.state.activity.status === 'closed';
      return await tidyBranch({ forge, git }, await this.#access.deleteBranch(), { isEnded });
    } catch (thrown) {
      const { code } = foreignFailure('forge', thrown);
      log('warn', 'forge.branch-left', { session: this.#access.state.sessionId, code });
      return [];
    }
  }

  async #look(forge: Forge): Promise<void> {
    if (this.#isLooking || this.#isWorking()) return;
    this.#isLooking = true;
    try {
      const { git } = this.#access.state;
      const seen = await observeForge({ forge, git });
      const events = [...seen, ...(await this.#tidied(forge, foldedWith(git, seen)))];
      // Our own push or merge meanwhile would look like somebody else's.
      if (this.#access.state.git === git && !this.#isWorking()) this.#access.store.record(events);
    } finally {
      this.#isLooking = false;
    }
    void this.#renewEvidence();
  }

  async #renewEvidence(): Promise<void> {
    if (!this.#isWorking()) await this.#evidence.runIfDue();
  }

  /** The same request again changes nothing; one that failed may be repeated. */
  async #once(asked: AskedRequest, work: () => Promise<readonly SessionEvent[]>): Promise<void> {
    const { store } = this.#access;
    const earlier = store.answered(asked);
    if (earlier?.kind === 'rejected') throw new ShipFailure(earlier.error);
    if (earlier !== undefined) return;
    store.conclude(asked, await work());
  }

  async #exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#isChanging) busy('Another change of the branch is under way.');
    this.#isChanging = true;
    try {
      return await work();
    } finally {
      this.#isChanging = false;
      this.#tools.onIdle();
    }
  }

  #refuseWhileWorking(what: string): void {
    if (this.#tools.isTurnDriven() || openTurn(this.#access.state.activity) !== undefined)
      busy(`The agent is working: its newest work would be missing. It is no time to ${what}.`);
  }

  #isWorking(): boolean {
    const { activity } = this.#access.state;
    return this.#isChanging || this.#tools.isTurnDriven() || openTurn(activity) !== undefined;
  }

  #known() {
    return (
      this.#access.state.git.pullRequest ??
      fail(
        'no-pull-request',
        'This session has no pull request yet.',
        'It is opened as a draft with the first change that the agent makes.',
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
