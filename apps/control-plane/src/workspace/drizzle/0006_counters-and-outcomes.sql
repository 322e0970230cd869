CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`total` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outcomes` (
	`session_id` text NOT NULL,
	`number` integer NOT NULL,
	`score` integer NOT NULL,
	`outcome` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`session_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `outcomes_by_score` ON `outcomes` (`score`,`outcome`);--> statement-breakpoint
CREATE INDEX `cards_by_state` ON `cards` (`derived_column`,`session_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_status` ON `sessions` (`status`,`session_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_speed` ON `sessions` (`session_id`,`first_token_ms`,`pull_request_ms`);