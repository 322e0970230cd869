/** Never edit a released migration; append a new one. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, login TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT, email TEXT, created_at TEXT NOT NULL);
  CREATE TABLE repositories (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL COLLATE NOCASE, name TEXT NOT NULL COLLATE NOCASE,
    kind TEXT NOT NULL CHECK (kind IN ('bare', 'folder')), git_dir TEXT NOT NULL UNIQUE, folder TEXT,
    default_branch TEXT NOT NULL, description TEXT, archived INTEGER NOT NULL DEFAULT 0,
    delete_branch_on_merge INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, pushed_at TEXT NOT NULL,
    UNIQUE (owner, name));
  CREATE TABLE refs (
    repository_id INTEGER NOT NULL REFERENCES repositories(id) ON DELETE CASCADE,
    name TEXT NOT NULL, sha TEXT NOT NULL, PRIMARY KEY (repository_id, name)) WITHOUT ROWID;
  CREATE TABLE issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories(id) ON DELETE CASCADE,
    number INTEGER NOT NULL, is_pull INTEGER NOT NULL, title TEXT NOT NULL, body TEXT,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')), state_reason TEXT,
    user_id INTEGER NOT NULL REFERENCES users(id), assignees TEXT NOT NULL DEFAULT '[]',
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, closed_at TEXT,
    UNIQUE (repository_id, number));
  CREATE TABLE pulls (
    issue_id INTEGER PRIMARY KEY REFERENCES issues(id) ON DELETE CASCADE,
    draft INTEGER NOT NULL, head_ref TEXT NOT NULL, head_sha TEXT NOT NULL,
    base_ref TEXT NOT NULL, base_sha TEXT NOT NULL, reviewers TEXT NOT NULL DEFAULT '[]',
    merged_at TEXT, merged_by INTEGER REFERENCES users(id), merge_commit_sha TEXT);
  CREATE TABLE merge_intents (
    issue_id INTEGER PRIMARY KEY REFERENCES issues(id) ON DELETE CASCADE,
    before_sha TEXT NOT NULL, after_sha TEXT NOT NULL, folder TEXT,
    user_id INTEGER NOT NULL REFERENCES users(id), created_at TEXT NOT NULL);
  CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories(id) ON DELETE CASCADE,
    name TEXT NOT NULL COLLATE NOCASE, color TEXT NOT NULL, description TEXT, UNIQUE (repository_id, name));
  CREATE TABLE issue_labels (
    issue_id INTEGER NOT NULL REFERENCES issues(id) ON DELETE CASCADE,
    label_id INTEGER NOT NULL REFERENCES labels(id) ON DELETE CASCADE, PRIMARY KEY (issue_id, label_id));
  CREATE TABLE comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, issue_id INTEGER NOT NULL REFERENCES issues(id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users(id), body TEXT NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
  CREATE TABLE reviews (
    id INTEGER PRIMARY KEY AUTOINCREMENT, issue_id INTEGER NOT NULL REFERENCES issues(id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users(id), body TEXT NOT NULL, state TEXT NOT NULL,
    commit_sha TEXT NOT NULL, submitted_at TEXT);
  CREATE TABLE review_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, issue_id INTEGER NOT NULL REFERENCES issues(id) ON DELETE CASCADE,
    review_id INTEGER REFERENCES reviews(id) ON DELETE CASCADE,
    in_reply_to INTEGER REFERENCES review_comments(id) ON DELETE SET NULL,
    user_id INTEGER NOT NULL REFERENCES users(id), body TEXT NOT NULL, path TEXT NOT NULL,
    commit_sha TEXT NOT NULL, diff_hunk TEXT NOT NULL, position INTEGER, line INTEGER, side TEXT NOT NULL,
    start_line INTEGER, start_side TEXT, subject_type TEXT NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
  CREATE TABLE statuses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories(id) ON DELETE CASCADE,
    sha TEXT NOT NULL, state TEXT NOT NULL, context TEXT NOT NULL, description TEXT, target_url TEXT,
    user_id INTEGER NOT NULL REFERENCES users(id), created_at TEXT NOT NULL);
  CREATE INDEX statuses_by_commit ON statuses (repository_id, sha);
  CREATE TABLE check_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories(id) ON DELETE CASCADE,
    head_sha TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL, conclusion TEXT, details_url TEXT,
    external_id TEXT, output_title TEXT, output_summary TEXT, output_text TEXT,
    started_at TEXT, completed_at TEXT);
  CREATE INDEX check_runs_by_commit ON check_runs (repository_id, head_sha);
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT NOT NULL UNIQUE, target TEXT NOT NULL, event TEXT NOT NULL,
    payload TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')));
  CREATE INDEX waiting_deliveries ON deliveries (target, id) WHERE state = 'waiting';
  `,
  `
  CREATE TABLE protections (
    repository_id INTEGER NOT NULL REFERENCES repositories(id) ON DELETE CASCADE,
    branch TEXT NOT NULL, rules TEXT NOT NULL, PRIMARY KEY (repository_id, branch)) WITHOUT ROWID;
  `,
  `
  CREATE TABLE former_names (
    owner TEXT NOT NULL COLLATE NOCASE, name TEXT NOT NULL COLLATE NOCASE,
    repository_id INTEGER NOT NULL REFERENCES repositories(id) ON DELETE CASCADE,
    PRIMARY KEY (owner, name)) WITHOUT ROWID;
  `,
];
