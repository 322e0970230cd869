/** A hash of all inputs of a template: when any of them changes, the layer is built again under another name. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Manifest } from './manifest.ts';
import { findPackage, forThisMachine } from './packages.ts';

/** Increment when the generated part of a template (skeleton.ts) changes. */
const SKELETON_VERSION = 2;

/** Host files that change with the programs or libraries in /usr, or with the certificates. */
const HOST_INPUTS = [
  '/etc/debian_version',
  '/etc/os-release',
  '/var/lib/dpkg/status',
  '/etc/ld.so.cache',
  '/etc/ssl/certs/ca-certificates.crt',
];

export function fingerprint(templateFolder: string, manifest: Manifest, uid: number): string {
  const hash = createHash('sha256').update(
    `${SKELETON_VERSION}\0${process.arch}\0${uid === 0 ? 'root' : 'user'}\0`,
  );
  for (const path of filesBelow(templateFolder)) {
    const stats = lstatSync(path);
    hash.update(`${relative(templateFolder, path)}\0${stats.mode & 0o777}\0`);
    hash.update(stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path));
  }
  for (const name of Object.keys(manifest.packages))
    hash.update(`${name}\0${findPackage(forThisMachine(name))?.version ?? ''}\0`);
  for (const path of HOST_INPUTS) hash.update(`${path}\0${stamp(path)}\0`);
  return hash.digest('hex').slice(0, 16);
}

function stamp(path: string): string {
  try {
    const { size, mtimeMs } = lstatSync(path);
    return `${size}:${mtimeMs}`;
  } catch {
    return 'absent';
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
    );
}
