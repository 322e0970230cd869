/** One step of the session's migrations. */
export const BUDGET_TABLES = `
CREATE TABLE model_calls (
  call_id TEXT PRIMARY KEY,
  turn_id TEXT,
  model TEXT NOT NULL,
  repository TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'expired', 'settled')),
  reserved_micros INTEGER NOT NULL,
  reserved_tokens INTEGER NOT NULL,
  cost TEXT NOT NULL,
  is_reported INTEGER NOT NULL
) STRICT;
CREATE INDEX model_calls_open ON model_calls (expires_at) WHERE state = 'open';
CREATE INDEX model_calls_unreported ON model_calls (at) WHERE state <> 'open' AND is_reported = 0;
CREATE TABLE model_totals (
  scope TEXT PRIMARY KEY,
  micros INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  estimated_calls INTEGER NOT NULL
) STRICT`;
