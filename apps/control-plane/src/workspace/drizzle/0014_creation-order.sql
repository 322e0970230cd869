DROP INDEX `cards_by_column`;--> statement-breakpoint
ALTER TABLE `cards` ADD `session_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `cards_by_column` ON `cards` (`board_column`,`session_at`,`session_id`);--> statement-breakpoint
DROP INDEX `sessions_by_repository`;--> statement-breakpoint
DROP INDEX `sessions_by_status`;--> statement-breakpoint
DROP INDEX `sessions_by_speed`;--> statement-breakpoint
ALTER TABLE `sessions` ADD `created_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_by_creation` ON `sessions` (`created_at`,`session_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_repository` ON `sessions` (`repository`,`created_at`,`session_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_status` ON `sessions` (`status`,`created_at`,`session_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_speed` ON `sessions` (`created_at`,`first_token_ms`,`pull_request_ms`);--> statement-breakpoint
ALTER TABLE `repositories` ADD `max_steps_per_turn` integer;--> statement-breakpoint
-- Sessions of an earlier version: their reports say when they were created.
UPDATE `sessions` SET `created_at` = coalesce(json_extract(`summary`, '$.createdAt'), 0) WHERE `summary` IS NOT NULL;
--> statement-breakpoint
UPDATE `cards` SET `session_at` = coalesce((SELECT `created_at` FROM `sessions` WHERE `sessions`.`session_id` = `cards`.`session_id`), 0) WHERE `session_id` IS NOT NULL;
