import type { DurableEvent } from '@ship/protocol';
import type { ComponentType } from 'react';
import { AskView } from './ask-view.tsx';
import { EgressRefusedView } from './egress-view.tsx';
import { EvidenceView } from './evidence-view.tsx';
import type { ViewProps } from './frame.tsx';
import {
  BaseMergedView,
  BranchRenamedView,
  BranchView,
  CommitView,
  ConflictResolvedView,
  ConflictView,
  BranchDeletedView,
  CheckoutNotedView,
  FilesSkippedView,
  BranchMovedOutsideView,
  PullRequestOpenedView,
  PullRequestStateView,
  RepositoryMovedView,
  WorkRestoredView,
} from './git-views.tsx';
import { EnvironmentView, InstallView } from './install-views.tsx';
import { PlanView } from './plan-view.tsx';
import { PromptView } from './prompt-view.tsx';
import { BudgetView } from './budget-view.tsx';
import {
  ClosedView,
  CompactedView,
  CreatedView,
  SandboxLostView,
  ModeView,
  ModelView,
  NamedView,
  RenamedView,
  SandboxResumedView,
  SandboxFailedView,
  StageFailedView,
} from './session-views.tsx';
import { SetupMissedView, SetupReusedView } from './setup-views.tsx';
import { SetupProofView } from './setup-proof-view.tsx';
import { SubagentView } from './subagent-view.tsx';
import { TextView } from './text-view.tsx';
import { TodosView } from './todos-view.tsx';
import { ToolServersView } from './tool-servers-view.tsx';
import { ToolView } from './tool-view.tsx';
import {
  ProviderRetryView,
  RecordingLimitView,
  RetryView,
  StopRequestedView,
  TurnEndView,
} from './turn-views.tsx';

/**
 * The view of each entry, by the type of its first event. A new event type needs a line here and one in placement.ts; without them it
 * appears in the raw log only.
 */
export const views: { readonly [Type in DurableEvent['type']]?: ComponentType<ViewProps> } = {
  'session.created': CreatedView,
  'session.named': NamedView,
  'session.renamed': RenamedView,
  'session.closed': ClosedView,
  'model.changed': ModelView,
  'budget.changed': BudgetView,
  'agent.mode-changed': ModeView,
  'turn.started': PromptView,
  'turn.stop-requested': StopRequestedView,
  'turn.retry-scheduled': RetryView,
  'turn.finished': TurnEndView,
  'sandbox.failed': SandboxFailedView,
  'sandbox.resumed': SandboxResumedView,
  'sandbox.lost': SandboxLostView,
  'stage.finished': StageFailedView,
  'text.finished': TextView,
  'tool.started': ToolView,
  'tool.finished': ToolView,
  'todos.changed': TodosView,
  'question.asked': AskView,
  'permission.asked': AskView,
  'plan.proposed': PlanView,
  'subagent.started': SubagentView,
  'conversation.compacted': CompactedView,
  'provider.retrying': ProviderRetryView,
  'recording.limited': RecordingLimitView,
  'verification.finished': EvidenceView,
  'confidence.computed': EvidenceView,
  'confidence.withheld': EvidenceView,
  'setup.reused': SetupReusedView,
  'setup.missed': SetupMissedView,
  'egress.refused': EgressRefusedView,
  'setup.proved': SetupProofView,
  'environment.planned': EnvironmentView,
  'install.started': InstallView,
  'install.finished': InstallView,
  'tool-servers.missed': ToolServersView,
  'branch.made': BranchView,
  'branch.renamed': BranchRenamedView,
  'work.restored': WorkRestoredView,
  'commit.made': CommitView,
  'base.merged': BaseMergedView,
  'branch.moved-outside': BranchMovedOutsideView,
  'branch.deleted': BranchDeletedView,
  'files.skipped': FilesSkippedView,
  'checkout.noted': CheckoutNotedView,
  'repository.moved': RepositoryMovedView,
  'pull-request.opened': PullRequestOpenedView,
  'pull-request.state-changed': PullRequestStateView,
  'git.conflicted': ConflictView,
  'git.conflict-resolved': ConflictResolvedView,
};
