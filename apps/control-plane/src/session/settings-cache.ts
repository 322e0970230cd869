import type { Settings } from '@ship/protocol';

const FRESH_MS = 15_000;

/** A step of a session must not cost a call to the one workspace that all sessions share. */
export class SettingsCache {
  readonly #read: () => Promise<Settings>;
  #known: { settings: Settings; readAt: number } | undefined;

  constructor(read: () => Promise<Settings>) {
    this.#read = read;
  }

  /** Undefined when they have to be read again. */
  freshAt(nowMs: number): Settings | undefined {
    const known = this.#known;
    return known !== undefined && nowMs - known.readAt < FRESH_MS ? known.settings : undefined;
  }

  async read(): Promise<Settings> {
    const fresh = this.freshAt(Date.now());
    if (fresh !== undefined) return fresh;
    const settings = await this.#read();
    this.#known = { settings, readAt: Date.now() };
    return settings;
  }

  /** For changes that must apply at once: a person may just have changed the settings. */
  forget(): void {
    this.#known = undefined;
  }
}
