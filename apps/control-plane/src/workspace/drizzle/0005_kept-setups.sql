CREATE TABLE `setups` (
	`name` text PRIMARY KEY NOT NULL,
	`repository` text NOT NULL,
	`base` text NOT NULL,
	`provider` text NOT NULL,
	`session_id` text NOT NULL,
	`setup_ms` integer NOT NULL,
	`made_at` integer NOT NULL,
	`used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `setups_by_spot` ON `setups` (`repository`,`base`,`provider`);