ALTER TABLE `setups` ADD `key` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `setups` ADD `base_sha` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `setups` ADD `command` text DEFAULT '' NOT NULL;