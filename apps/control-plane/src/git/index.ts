/** Git and pull requests for the session's object. Every function is idempotent after a crash. */
export { requireBase } from './base-tip.ts';
export { restartFromBase } from './restart-from-base.ts';
export { saveCheckpoint } from './checkpoint.ts';
export { type Delivery, deliverTurn, foldedWith } from './deliver.ts';
export {
  type GitDeps,
  gatewayRemotes,
  readRemotes,
  type RemoteDeps,
  type SessionFacts,
} from './deps.ts';
export {
  type ForgeAddress,
  type ForgeBindings,
  forgeAddress,
  mayBelongTo,
} from './forge/address.ts';
export { checkForge } from './forge/check.ts';
export { connectForge } from './forge/github.ts';
export type { Forge } from './forge/port.ts';
export { preflight } from './forge/preflight.ts';
export { parseWebhook, revertedBranch, verifySignature } from './forge/webhook.ts';
export { keepMirror, mirrorTemplate, refreshMirror } from './mirror/index.ts';
export { prepareRepository } from './prepare.ts';
export {
  closePullRequest,
  editPullRequest,
  markReady,
  mergePullRequest,
  observeForge,
  refreshPullRequest,
} from './pull-request.ts';
export { updateFromBase } from './update-from-base.ts';
export { commitDiff, treesOf, workingTree, workingTreeDiff } from './work/diff.ts';
export { renameBranch } from './rename-branch.ts';
export { type Arrival, awaitHistory, createWarmFolder } from './work/clone.ts';
export { sandboxShell } from './work/shell.ts';
export { tidyBranch, tidySession } from './tidy.ts';
export { type AddedRepositories, addedRepositories } from './forge/added-repositories.ts';
export { initializeSubmodules, type SubmoduleAccess } from './submodules.ts';
