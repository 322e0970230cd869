ALTER TABLE `repositories` ADD `install_dependencies` integer;--> statement-breakpoint
ALTER TABLE `repositories` ADD `install_scripts` integer;