-- Counters that no look at the figures has to count again. Triggers, so that nothing can write past them.
INSERT INTO counters SELECT 'status:' || status, count(*) FROM sessions WHERE status IS NOT NULL GROUP BY status;
--> statement-breakpoint
INSERT INTO counters SELECT 'pull-request:' || pull_request_state, count(*) FROM sessions WHERE pull_request_state IS NOT NULL GROUP BY pull_request_state;
--> statement-breakpoint
INSERT INTO counters SELECT 'cost-micros', coalesce(sum(cost_micros), 0) FROM sessions;
--> statement-breakpoint
INSERT INTO counters SELECT 'card:' || board_column, count(*) FROM cards GROUP BY board_column;
--> statement-breakpoint
INSERT INTO counters SELECT 'session-card:' || board_column, count(*) FROM cards WHERE session_id IS NOT NULL GROUP BY board_column;
--> statement-breakpoint
CREATE TRIGGER sessions_counted_in AFTER INSERT ON sessions BEGIN
  INSERT INTO counters SELECT 'status:' || NEW.status, 1 WHERE NEW.status IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'pull-request:' || NEW.pull_request_state, 1 WHERE NEW.pull_request_state IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'cost-micros', 1 * NEW.cost_micros WHERE NEW.cost_micros IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
END;
--> statement-breakpoint
CREATE TRIGGER sessions_counted_out AFTER DELETE ON sessions BEGIN
  INSERT INTO counters SELECT 'status:' || OLD.status, -1 WHERE OLD.status IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'pull-request:' || OLD.pull_request_state, -1 WHERE OLD.pull_request_state IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'cost-micros', -1 * OLD.cost_micros WHERE OLD.cost_micros IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
END;
--> statement-breakpoint
CREATE TRIGGER sessions_counted_anew AFTER UPDATE ON sessions
WHEN OLD.status IS NOT NEW.status OR OLD.pull_request_state IS NOT NEW.pull_request_state OR OLD.cost_micros IS NOT NEW.cost_micros BEGIN
  INSERT INTO counters SELECT 'status:' || OLD.status, -1 WHERE OLD.status IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'pull-request:' || OLD.pull_request_state, -1 WHERE OLD.pull_request_state IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'cost-micros', -1 * OLD.cost_micros WHERE OLD.cost_micros IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'status:' || NEW.status, 1 WHERE NEW.status IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'pull-request:' || NEW.pull_request_state, 1 WHERE NEW.pull_request_state IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'cost-micros', 1 * NEW.cost_micros WHERE NEW.cost_micros IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
END;
--> statement-breakpoint
CREATE TRIGGER cards_counted_in AFTER INSERT ON cards BEGIN
  INSERT INTO counters SELECT 'card:' || NEW.board_column, 1 WHERE true ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'session-card:' || NEW.board_column, 1 WHERE NEW.session_id IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
END;
--> statement-breakpoint
CREATE TRIGGER cards_counted_out AFTER DELETE ON cards BEGIN
  INSERT INTO counters SELECT 'card:' || OLD.board_column, -1 WHERE true ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'session-card:' || OLD.board_column, -1 WHERE OLD.session_id IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
END;
--> statement-breakpoint
CREATE TRIGGER cards_counted_anew AFTER UPDATE ON cards
WHEN OLD.board_column IS NOT NEW.board_column OR OLD.session_id IS NOT NEW.session_id BEGIN
  INSERT INTO counters SELECT 'card:' || OLD.board_column, -1 WHERE true ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'session-card:' || OLD.board_column, -1 WHERE OLD.session_id IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'card:' || NEW.board_column, 1 WHERE true ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
  INSERT INTO counters SELECT 'session-card:' || NEW.board_column, 1 WHERE NEW.session_id IS NOT NULL ON CONFLICT (name) DO UPDATE SET total = total + excluded.total;
END;
