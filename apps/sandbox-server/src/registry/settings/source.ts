/** Source of registry settings: files of the owner and the environment of the server. */
export interface SettingsSource {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The text of a file, or undefined when there is none. */
  read(path: string): string | undefined;
}
