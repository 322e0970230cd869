CREATE TABLE `cards` (
	`card_id` text PRIMARY KEY NOT NULL,
	`session_id` text,
	`draft` text,
	`board_column` text NOT NULL,
	`derived_column` text,
	`position` real NOT NULL,
	`request_id` text,
	`request_body` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `cards_session_id_unique` ON `cards` (`session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `cards_request_id_unique` ON `cards` (`request_id`);--> statement-breakpoint
CREATE INDEX `cards_by_place` ON `cards` (`board_column`,`position`);--> statement-breakpoint
CREATE TABLE `changes` (
	`version` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`change` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `repositories` (
	`repository_id` text PRIMARY KEY NOT NULL,
	`location` text NOT NULL,
	`location_key` text NOT NULL,
	`name` text NOT NULL,
	`default_base` text,
	`setup_command` text,
	`verify_command` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `repositories_location_key_unique` ON `repositories` (`location_key`);--> statement-breakpoint
CREATE TABLE `secrets` (
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`key_id` text NOT NULL,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `name`)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`summary` text,
	`search_text` text NOT NULL,
	`status` text,
	`repository` text,
	`cost_micros` integer,
	`pull_request_state` text,
	`first_token_ms` integer,
	`pull_request_ms` integer
);
--> statement-breakpoint
CREATE INDEX `sessions_by_repository` ON `sessions` (`repository`,`session_id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`one` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`token_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash_unique` ON `tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `usage_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_keys_by_age` ON `usage_keys` (`at`);--> statement-breakpoint
CREATE TABLE `usage_totals` (
	`day` text NOT NULL,
	`model` text NOT NULL,
	`repository` text NOT NULL,
	`cost_micros` integer NOT NULL,
	`unpriced` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`entries` integer NOT NULL,
	PRIMARY KEY(`day`, `model`, `repository`)
);
