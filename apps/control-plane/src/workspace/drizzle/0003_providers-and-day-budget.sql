CREATE TABLE `day_reservations` (
	`call_id` text PRIMARY KEY NOT NULL,
	`micros` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `providers` (
	`provider_id` text PRIMARY KEY NOT NULL,
	`config` text NOT NULL,
	`key_id` text,
	`sealed` text,
	`updated_at` integer NOT NULL
);
