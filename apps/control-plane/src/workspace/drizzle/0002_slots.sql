CREATE TABLE `slots` (
	`session_id` text PRIMARY KEY NOT NULL,
	`asked_at` integer NOT NULL,
	`renewed_at` integer NOT NULL,
	`is_working` integer NOT NULL
);
