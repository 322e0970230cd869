/** Table rows. Times are ISO 8601 text, booleans are 0 or 1. */
export interface UserRow {
  id: number;
  login: string;
  name: string | null;
  email: string | null;
  created_at: string;
}

export interface RepositoryRow {
  id: number;
  owner: string;
  name: string;
  kind: 'bare' | 'folder';
  git_dir: string;
  folder: string | null;
  default_branch: string;
  description: string | null;
  archived: number;
  delete_branch_on_merge: number;
  created_at: string;
  updated_at: string;
  pushed_at: string;
}

export interface IssueRow {
  id: number;
  repository_id: number;
  number: number;
  is_pull: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  state_reason: string | null;
  user_id: number;
  assignees: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

export interface PullRow extends IssueRow {
  draft: number;
  head_ref: string;
  head_sha: string;
  base_ref: string;
  base_sha: string;
  reviewers: string;
  merged_at: string | null;
  merged_by: number | null;
  merge_commit_sha: string | null;
}

export interface MergeIntentRow {
  issue_id: number;
  before_sha: string;
  after_sha: string;
  folder: string | null;
  user_id: number;
  created_at: string;
}

export interface LabelRow {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

export interface CommentRow {
  id: number;
  issue_id: number;
  user_id: number;
  body: string;
  created_at: string;
  updated_at: string;
}

export interface ReviewRow {
  id: number;
  issue_id: number;
  user_id: number;
  body: string;
  state: string;
  commit_sha: string;
  submitted_at: string | null;
}

export interface ReviewCommentRow extends CommentRow {
  review_id: number | null;
  in_reply_to: number | null;
  path: string;
  commit_sha: string;
  diff_hunk: string;
  position: number | null;
  line: number | null;
  side: string;
  start_line: number | null;
  start_side: string | null;
  subject_type: string;
}

export interface StatusRow {
  id: number;
  sha: string;
  state: string;
  context: string;
  description: string | null;
  target_url: string | null;
  user_id: number;
  created_at: string;
}

export interface CheckRunRow {
  id: number;
  repository_id: number;
  head_sha: string;
  name: string;
  status: string;
  conclusion: string | null;
  details_url: string | null;
  external_id: string | null;
  output_title: string | null;
  output_summary: string | null;
  output_text: string | null;
  started_at: string | null;
  completed_at: string | null;
}

export interface DeliveryRow {
  id: number;
  guid: string;
  target: string;
  event: string;
  payload: string;
  attempts: number;
  state: string;
}
