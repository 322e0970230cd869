CREATE TABLE `browsers` (
	`hash` text PRIMARY KEY NOT NULL,
	`token_id` text,
	`owner_mark` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
