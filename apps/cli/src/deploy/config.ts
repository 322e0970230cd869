/**
 * Edits the user's `ship.wrangler.jsonc`: adds what the deployment needs and keeps everything else, comments included. Pure: the
 * caller shows the changes and writes the file.
 */
import { type ParseError, applyEdits, modify, parse, printParseErrorCode } from 'jsonc-parser';
import { Failure } from '../failure.ts';
import { HEADER, type DesiredConfig, type WranglerConfig } from './desired-config.ts';

/** One change of the file. Only `changed` replaces an existing value. */
export interface ConfigChange {
  kind: 'added' | 'changed';
  path: string;
  from: unknown;
  to: unknown;
}

export interface PreparedConfig {
  text: string;
  changes: ConfigChange[];
  config: WranglerConfig;
}

/** Cloudflare assigns names below this domain; they need no route. */
const GIVEN_DOMAIN = '.workers.dev';

type Path = (string | number)[];
const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

export function prepareConfig(existing: string | null, wanted: DesiredConfig): PreparedConfig {
  let text = existing ?? HEADER;
  const changes: ConfigChange[] = [];

  const put = (path: Path, to: unknown, isInsertion = false) => {
    const from = isInsertion ? undefined : at(parsed(text), path);
    if (same(from, to)) return;
    changes.push({ kind: from === undefined ? 'added' : 'changed', path: dotted(path), from, to });
    text = applyEdits(text, modify(text, path, to, { ...FORMAT, isArrayInsertion: isInsertion }));
  };
  const append = (path: Path, entry: unknown) => {
    const list = at(parsed(text), path);
    if (list === undefined) put(path, [entry]);
    else put([...path, listAt(parsed(text), path).length], entry, true);
  };
  /** Matches entries by one field, and keeps the other fields of the user's entry. */
  const keep = (path: Path, key: string, entry: Record<string, unknown>, owned: string[]) => {
    const index = listAt(parsed(text), path).findIndex((one) => at(one, [key]) === entry[key]);
    if (index < 0) return append(path, entry);
    for (const name of owned) put([...path, index, name], entry[name]);
  };

  const { base } = wanted;
  if (wanted.name !== undefined || at(parsed(text), ['name']) === undefined)
    put(['name'], wanted.name ?? base.name);
  put(['main'], wanted.main);
  // Upload the same bundle that runs on one machine, instead of building it again with another tool.
  put(['no_bundle'], true);
  put(['compatibility_date'], base.compatibility_date);
  for (const flag of base.compatibility_flags)
    if (!listAt(parsed(text), ['compatibility_flags']).includes(flag))
      append(['compatibility_flags'], flag);
  for (const binding of base.durable_objects.bindings)
    keep(['durable_objects', 'bindings'], 'name', binding, ['class_name']);
  migrate(listAt(parsed(text), ['migrations']), base.migrations, append);
  for (const bucket of base.r2_buckets) keep(['r2_buckets'], 'binding', bucket, []);
  for (const [name, value] of Object.entries({ ...base.assets, directory: wanted.page }))
    put(['assets', name], value);
  if (at(parsed(text), ['vars', 'AUTH_MODE']) === undefined) put(['vars', 'AUTH_MODE'], 'team');
  for (const [name, value] of Object.entries(wanted.vars)) put(['vars', name], value);
  const hosts = at(parsed(text), ['vars', 'ALLOWED_HOSTS']);
  const { host } = wanted;
  const isListed = typeof hosts === 'string' && hosts.split(',').includes(host ?? '');
  if (host !== undefined && !isListed) put(['vars', 'ALLOWED_HOSTS'], host);
  if (host !== undefined && !host.endsWith(GIVEN_DOMAIN))
    keep(['routes'], 'pattern', { pattern: host, custom_domain: true }, []);
  return { text, changes, config: parsed(text) as WranglerConfig };
}

/** The platform runs the steps of a migration tag only once: never change an existing tag, append new ones. */
function migrate(
  existing: unknown[],
  wanted: WranglerConfig['migrations'],
  append: (path: Path, entry: unknown) => void,
): void {
  for (const step of wanted) {
    const known = existing.find((one) => at(one, ['tag']) === step.tag);
    if (known === undefined) append(['migrations'], step);
    else if (!same(known, step))
      throw new Failure(
        `The migration ${step.tag} in your configuration is not Ship's.`,
        'Deploy under another name (--name NAME) and into another file (--config FILE), or rename your own tag if it was never deployed.',
      );
  }
}

export function parsed(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined && typeof value === 'object' && value !== null) return value;
  const line = text.slice(0, first?.offset ?? 0).split('\n').length;
  throw new Failure(
    `The configuration cannot be read: ${first === undefined ? 'it is not an object' : `${printParseErrorCode(first.error)} in line ${line}`}.`,
    'Fix it, or choose another file with --config FILE.',
  );
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (here, key) =>
      typeof here === 'object' && here !== null
        ? (here as Record<Path[0], unknown>)[key]
        : undefined,
    value,
  );
}

function listAt(value: unknown, path: Path): unknown[] {
  const list = at(value, path);
  return Array.isArray(list) ? list : [];
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function dotted(path: Path): string {
  return path.join('.');
}
