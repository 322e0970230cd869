-- Pieces of three characters of what sessions are searched by, so that a word that few have, or none, is not looked for in
-- the texts of all. It holds no text of its own. Triggers, so that nothing can write past it.
CREATE VIRTUAL TABLE session_search USING fts5(search_text, content='sessions', tokenize='trigram case_sensitive 1');
--> statement-breakpoint
INSERT INTO session_search (session_search) VALUES ('rebuild');
--> statement-breakpoint
CREATE TRIGGER sessions_searched_in AFTER INSERT ON sessions BEGIN
  INSERT INTO session_search (rowid, search_text) VALUES (NEW.rowid, NEW.search_text);
END;
--> statement-breakpoint
CREATE TRIGGER sessions_searched_out AFTER DELETE ON sessions BEGIN
  INSERT INTO session_search (session_search, rowid, search_text) VALUES ('delete', OLD.rowid, OLD.search_text);
END;
--> statement-breakpoint
CREATE TRIGGER sessions_searched_anew AFTER UPDATE ON sessions
WHEN OLD.search_text IS NOT NEW.search_text BEGIN
  INSERT INTO session_search (session_search, rowid, search_text) VALUES ('delete', OLD.rowid, OLD.search_text);
  INSERT INTO session_search (rowid, search_text) VALUES (NEW.rowid, NEW.search_text);
END;
