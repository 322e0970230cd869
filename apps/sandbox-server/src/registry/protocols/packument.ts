/** npm's document about one package: the files it lists, and the addresses that clients get for them. Pure. */
import { z } from 'zod';

import type { IndexedFile } from '../cache/disk-cache.ts';
import { digestOf, parseIntegrity, writeDigest } from '../digest.ts';
import { hasQuerySecret } from '../secret-url.ts';
import { nameInLockFile } from '../settings/npm.ts';

const distSchema = z.looseObject({
  tarball: z.string(),
  integrity: z.string().optional().catch(undefined),
  shasum: z.string().optional().catch(undefined),
});
const packumentSchema = z.looseObject({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()).optional().catch(undefined),
  versions: z.record(z.string(), z.looseObject({ dist: distSchema })).default({}),
});
type Packument = z.output<typeof packumentSchema>;

export function readPackument(text: string, name: string): Packument | undefined {
  try {
    const parsed = packumentSchema.safeParse(JSON.parse(text)).data;
    return parsed?.name === name ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** npm's own naming, which every client can derive from name and version. */
function tarballName(name: string, version: string): string {
  return `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
}

export function tarballsOf({ name, versions }: Packument, base: URL): Record<string, IndexedFile> {
  const files: Record<string, IndexedFile> = {};
  for (const [version, { dist }] of Object.entries(versions)) {
    if (!URL.canParse(dist.tarball, base.href)) continue;
    const url = new URL(dist.tarball, base);
    const digest = parseIntegrity(dist.integrity ?? '') ?? digestOf('sha1', dist.shasum);
    const file = { url: url.href, ...(digest !== undefined && { digest: writeDigest(digest) }) };
    files[tarballName(name, version)] = file;
    // Lock files of this registry may refer to the file by its own path, which may be unusual.
    const own = url.pathname.split('/').at(-1) ?? '';
    if (own !== '' && !Object.hasOwn(files, own)) files[own] = file;
  }
  return files;
}

/**
 * Which address of a file a client gets; the client writes it into a lock file, where the gateway must not appear.
 * `original`: npm fetches from the configured registry regardless of the address. `none`: bun derives the address itself.
 * `gateway`: pnpm and newer yarns omit an address that is the usual one below the configured registry.
 */
export type TarballForm = 'original' | 'none' | 'gateway';

export function tarballForm(userAgent: string): TarballForm {
  if (userAgent.startsWith('npm/')) return 'original';
  return /^bun\//i.test(userAgent) ? 'none' : 'gateway';
}

/** The document without addresses that may contain a secret; the original text if there are none. */
export function withoutSecrets(text: string, packument: Packument, registry: URL): string {
  const name = nameInLockFile(registry);
  const isHidden = name !== registry;
  const isSecret = ({ dist }: { dist: { tarball: string } }): boolean =>
    isHidden || !URL.canParse(dist.tarball) || hasQuerySecret(new URL(dist.tarball));
  const entries = Object.entries(packument.versions);
  if (!entries.some(([, manifest]) => isSecret(manifest))) return text;
  const base = `${name.href}${packument.name}/-`;
  const versions = entries.map(([version, manifest]) => {
    const tarball = `${base}/${tarballName(packument.name, version)}`;
    const shown = isSecret(manifest) ? { ...manifest.dist, tarball } : manifest.dist;
    return [version, { ...manifest, dist: shown }];
  });
  const shown = JSON.stringify({ ...packument, versions: Object.fromEntries(versions) });
  // Registries repeat their address in other fields.
  return isHidden ? shown.replaceAll(registry.href, name.href) : shown;
}

export function withTarballs(packument: Packument, form: TarballForm, registry: string): Packument {
  if (form === 'original') return packument;
  const { name } = packument;
  const versions = Object.entries(packument.versions).map(([version, manifest]) => {
    const tarball = form === 'none' ? '' : `${registry}/${name}/-/${tarballName(name, version)}`;
    return [version, { ...manifest, dist: { ...manifest.dist, tarball } }];
  });
  return { ...packument, versions: Object.fromEntries(versions) };
}
