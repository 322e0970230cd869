import { readFileSync, statSync } from 'node:fs';

import { cargoFiles, readCargoSettings, type CargoSettings } from './cargo.ts';
import { goFiles, readGoSettings, type GoSettings } from './go.ts';
import { mavenFiles, readMavenSettings, type MavenSettings } from './maven.ts';
import { npmFiles, readNpmSettings, type NpmSettings } from './npm.ts';
import { pipFiles, readPipSettings, type PipSettings } from './pip.ts';
import type { SettingsSource } from './source.ts';

export interface RegistrySettings {
  npm: NpmSettings;
  pip: PipSettings;
  go: GoSettings;
  cargo: CargoSettings;
  maven: MavenSettings;
}

const RECHECK_INTERVAL_MS = 2_000;
const MAX_FILE_BYTES = 1_048_576;

export function readSettings(source: SettingsSource): RegistrySettings {
  return {
    npm: readNpmSettings(source),
    pip: readPipSettings(source),
    go: readGoSettings(source),
    cargo: readCargoSettings(source),
    maven: readMavenSettings(source),
  };
}

/** Undefined if missing or unreadable for this user: npm and pip ignore it then, too. */
function readSmallFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

export function machineSource(
  home: string,
  environment: SettingsSource['environment'],
): SettingsSource {
  return { home, environment, read: readSmallFile };
}

/** The owner's current settings: changed files are reloaded, checked at most every two seconds. */
export class LiveSettings {
  readonly #source: SettingsSource;
  readonly #nowMs: () => number;
  readonly #onChange: (settings: RegistrySettings) => void;
  #settings: RegistrySettings;
  #stamp: string;
  #checkedAtMs: number;

  constructor(
    source: SettingsSource,
    nowMs: () => number,
    onChange: (settings: RegistrySettings) => void,
  ) {
    this.#source = source;
    this.#nowMs = nowMs;
    this.#onChange = onChange;
    this.#stamp = this.#stampNow();
    this.#checkedAtMs = nowMs();
    this.#settings = readSettings(source);
    onChange(this.#settings);
  }

  current(): RegistrySettings {
    const nowMs = this.#nowMs();
    if (nowMs - this.#checkedAtMs < RECHECK_INTERVAL_MS) return this.#settings;
    this.#checkedAtMs = nowMs;
    const stamp = this.#stampNow();
    if (stamp === this.#stamp) return this.#settings;
    this.#stamp = stamp;
    this.#settings = readSettings(this.#source);
    this.#onChange(this.#settings);
    return this.#settings;
  }

  #stampNow(): string {
    const netrc = this.#source.environment['NETRC'] ?? `${this.#source.home}/.netrc`;
    const lists = [npmFiles, pipFiles, goFiles, cargoFiles, mavenFiles];
    const files = lists.flatMap((list) => list(this.#source));
    return [...files, netrc].map(stampOf).join('\n');
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return '-';
  }
}
