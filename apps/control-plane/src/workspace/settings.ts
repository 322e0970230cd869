import {
  DEFAULT_CAPS,
  DEFAULT_SETTINGS,
  DEFAULT_STEPS_PER_TURN,
  Settings,
  type SettingsPatch,
  fail,
} from '@ship/protocol';
import type { ChangeLog } from './change-log.ts';
import type { Database } from './database.ts';
import { settings } from './schema.ts';

/** `etag` changes with every update, for optimistic concurrency. */
export interface StoredSettings {
  etag: string;
  settings: Settings;
}

export class SettingsStore {
  readonly #db: Database;
  readonly #changes: ChangeLog;
  /** Used until the first change. */
  readonly #defaults: Settings;

  constructor(db: Database, changes: ChangeLog, defaults: Partial<Settings> = {}) {
    this.#db = db;
    this.#changes = changes;
    this.#defaults = { ...DEFAULT_SETTINGS, ...defaults };
  }

  read(): StoredSettings {
    const row = this.#db.select().from(settings).get();
    if (row === undefined) return { etag: etagOf(0), settings: this.#defaults };
    return { etag: etagOf(row.version), settings: upgradeSettings(JSON.parse(row.value)) };
  }

  patch(patch: SettingsPatch, ifMatch: string | undefined): StoredSettings {
    return this.#write(merge(this.read().settings, patch), ifMatch);
  }

  replace(next: Settings, ifMatch: string): StoredSettings {
    return this.#write(next, ifMatch);
  }

  #write(next: Record<string, unknown>, ifMatch: string | undefined): StoredSettings {
    const { etag } = this.read();
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etag) {
      fail(
        'precondition-failed',
        'The settings were changed meanwhile.',
        'Read them again, apply your change to the current settings, and send it with the new ETag.',
      );
    }
    const parsed = Settings.safeParse({ ...next, budgets: withChosenCaps(next.budgets) });
    if (!parsed.success) {
      // Each field is valid alone, but not in combination.
      const [issue] = parsed.error.issues;
      return fail(
        'invalid-input',
        `${issue?.path.join('.') ?? 'settings'}: ${issue?.message ?? 'are inconsistent'}.`,
        'Send the fields that belong together in one request.',
      );
    }
    const version = Number(etag.slice(2, -1)) + 1;
    const marks = { [DEFAULTED_KEY]: DEFAULTED, [STEPS_KEY]: DEFAULT_STEPS_PER_TURN };
    const value = JSON.stringify({ ...parsed.data, ...marks });
    const row = { one: 1, version, value };
    this.#db
      .insert(settings)
      .values(row)
      .onConflictDoUpdate({ target: settings.one, set: row })
      .run();
    this.#changes.record({ type: 'settings.changed', settings: parsed.data });
    return { etag: etagOf(version), settings: parsed.data };
  }
}

/** Parses settings of any version: drops unknown fields, and uses defaults for missing or invalid ones. */
export function upgradeSettings(stored: unknown): Settings {
  const known = Object.fromEntries(
    Object.entries(DEFAULT_SETTINGS).map(([key, fallback]) => {
      const schema = Settings.shape[key as keyof Settings];
      const found = UPGRADES[key]?.(stored) ?? readKey(stored, key);
      const parsed = schema.safeParse(withDefaults(fallback, found));
      return [key, parsed.success ? parsed.data : fallback];
    }),
  );
  const parsed = Settings.safeParse(known);
  return parsed.success ? parsed.data : DEFAULT_SETTINGS;
}

function withDefaults(fallback: unknown, stored: unknown): unknown {
  if (stored === undefined) return fallback;
  if (!isGroup(fallback)) return stored;
  return Object.fromEntries(
    Object.entries(fallback).map(([key, value]) => {
      const found = readKey(stored, key);
      return [key, found === undefined ? value : found];
    }),
  );
}

const DEFAULTED = ['turnUsd', 'sessionUsd', 'dailyUsd'] as const;
type Defaulted = (typeof DEFAULTED)[number];

/** Stored beside the settings: the caps that had a default when the row was written. */
const DEFAULTED_KEY = 'defaultedCaps';
/** The same for older rows without that key, if they list their defaults. */
const FIRST_DEFAULTED: readonly Defaulted[] = ['sessionUsd', 'dailyUsd'];

/**
 * A cap without a default is stored as `null` both when it was never set and when a person removed it. Once it gets a default,
 * `null` in an older row becomes the default; an amount is a person's choice and stays, as does `null` in a newer row.
 */
function upgradeBudgets(stored: unknown): unknown {
  const budgets = readKey(stored, 'budgets');
  if (!isGroup(budgets)) return budgets;
  const listed = readKey(budgets, 'byDefault');
  const first = listed === undefined ? [] : FIRST_DEFAULTED;
  const known = readKey(stored, DEFAULTED_KEY) ?? first;
  const added = DEFAULTED.filter(
    (key) =>
      !(Array.isArray(known) && known.includes(key)) && (readKey(budgets, key) ?? null) === null,
  );
  const before = Array.isArray(listed) ? listed : [];
  return { ...budgets, ...capsOf(added), byDefault: [...added, ...before] };
}

/** Stored beside the settings: the default number of steps when the row was written. */
const STEPS_KEY = 'defaultSteps';
/** The default of rows without that key. Every row had it, chosen or not, and it stopped real tasks half-way. */
const FIRST_DEFAULT_STEPS = 25;

function upgradeLimits(stored: unknown): unknown {
  const limits = readKey(stored, 'limits');
  if (!isGroup(limits)) return limits;
  const isOldDefault =
    readKey(stored, STEPS_KEY) === undefined && limits.maxStepsPerTurn === FIRST_DEFAULT_STEPS;
  return isOldDefault ? { ...limits, maxStepsPerTurn: DEFAULT_STEPS_PER_TURN } : limits;
}

const UPGRADES: Partial<Record<string, (stored: unknown) => unknown>> = {
  budgets: upgradeBudgets,
  limits: upgradeLimits,
};

const capsOf = (keys: readonly Defaulted[]) =>
  Object.fromEntries(keys.map((key) => [key, DEFAULT_CAPS[key]]));

/** Only a cap with the default amount can count as a default. */
function withChosenCaps(budgets: unknown): unknown {
  const named = readKey(budgets, 'byDefault');
  if (!isGroup(budgets) || !Array.isArray(named)) return budgets;
  const byDefault = DEFAULTED.filter(
    (key) => named.includes(key) && budgets[key] === DEFAULT_CAPS[key],
  );
  return { ...budgets, byDefault };
}

function merge(current: Settings, patch: SettingsPatch): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    merged[key] = isGroup(value) && isGroup(merged[key]) ? { ...merged[key], ...value } : value;
  }
  const { budgets } = patch;
  if (budgets !== undefined && budgets.byDefault === undefined)
    merged.budgets = {
      ...current.budgets,
      ...budgets,
      byDefault: current.budgets.byDefault.filter((key) => budgets[key] === undefined),
    };
  return merged;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readKey(value: unknown, key: string): unknown {
  return isGroup(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function etagOf(version: number): string {
  return `"s${version}"`;
}
