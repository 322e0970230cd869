CREATE TABLE `forge_tokens` (
	`url` text PRIMARY KEY NOT NULL,
	`login` text,
	`key_id` text NOT NULL,
	`sealed` text NOT NULL,
	`set_at` integer NOT NULL
);
