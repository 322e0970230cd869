/**
 * User-defined metadata of files, stored in extended attributes `user.e2b.*`. Node cannot read those, so a small Python
 * helper does. It starts only in sandboxes that have metadata: a marker file records that, and snapshots include it
 * like any other file.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readline } from '../on-demand.ts';

const HELPER = '/opt/envd/xattr';
const MARKER = '/var/lib/envd/has-metadata';
const PREFIX = 'user.e2b.';
const MAX_KEY_BYTES = 255 - PREFIX.length;
const MAX_TOTAL_BYTES = 4096;

export type Metadata = Record<string, string>;

const isPrintable = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Why metadata is refused; undefined when it is valid. */
export function metadataRefusal(metadata: Metadata): string | undefined {
  let total = 0;
  for (const [key, value] of Object.entries(metadata)) {
    if (key === '') return 'metadata key must not be empty';
    if (key.length > MAX_KEY_BYTES) return `metadata key exceeds ${MAX_KEY_BYTES} bytes`;
    if (!isPrintable(key) || !isPrintable(value))
      return `metadata "${key}" contains non-printable bytes`;
    total += PREFIX.length + key.length + value.length;
  }
  return total > MAX_TOTAL_BYTES
    ? `total metadata size ${total} exceeds ${MAX_TOTAL_BYTES} bytes`
    : undefined;
}

/** `X-Metadata-Key: value` headers. */
export function metadataHeaders(headers: NodeJS.Dict<string | string[]>): Metadata {
  const prefix = 'x-metadata-';
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [
        name.slice(prefix.length),
        String(Array.isArray(value) ? value[0] : value).split(', ')[0] ?? '',
      ]),
  );
}

let isUsed: boolean | undefined;

async function isMetadataUsed(): Promise<boolean> {
  isUsed ??= await stat(MARKER).then(
    () => true,
    () => false,
  );
  return isUsed;
}

/** Replaces all metadata of a file. */
export async function writeMetadata(path: string, metadata: Metadata): Promise<void> {
  if (Object.keys(metadata).length === 0 && !(await isMetadataUsed())) return;
  if (!(await isMetadataUsed())) {
    await mkdir(dirname(MARKER), { recursive: true });
    await writeFile(MARKER, '');
    isUsed = true;
  }
  await callHelper({ set: path, values: metadata });
}

/** Metadata of many files with one request; files without any are absent from the result. */
export async function readMetadata(paths: readonly string[]): Promise<Record<string, Metadata>> {
  if (paths.length === 0 || !(await isMetadataUsed())) return {};
  return (await callHelper({ get: paths })) as Record<string, Metadata>;
}

let helper: ChildProcess | undefined;
let waiting: Array<(answer: unknown) => void> = [];

function startHelper(): ChildProcess {
  const child = spawn(HELPER, { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
  const fail = () => {
    // Metadata is optional: a dead helper costs the responses in flight, and the next request starts another.
    if (helper === child) helper = undefined;
    for (const resolve of waiting.splice(0)) resolve({});
  };
  child.once('error', fail);
  child.once('exit', fail);
  child.stdin?.on('error', () => {});
  if (child.stdout !== null) {
    readline()
      .createInterface(child.stdout)
      .on('line', (line) => waiting.shift()?.(JSON.parse(line)));
  }
  return child;
}

function callHelper(message: unknown): Promise<unknown> {
  helper ??= startHelper();
  const { stdin } = helper;
  return new Promise((resolve) => {
    waiting.push(resolve);
    stdin?.write(`${JSON.stringify(message)}\n`);
  });
}
