/**
 * Templates: a folder `templates/<name>/` with `template.json`, a tree `files/` that is copied over the generated root, and
 * a script `setup.sh` that runs once inside. Built offline into a layer that all sandboxes share copy-on-write.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IsolationBackend, LayerStore } from '../isolation/backend.ts';
import { fingerprint } from './fingerprint.ts';
import { readManifest, type Manifest } from './manifest.ts';
import { forThisMachine, placePackage } from './packages.ts';
import { runSetup } from './setup.ts';
import { writeSkeleton } from './skeleton.ts';

export const BUILT_IN_TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url));

export interface TemplateOptions {
  backend: IsolationBackend & LayerStore;
  /** Holds a temporary folder of the build. */
  dataFolder: string;
  name: string;
  templatesFolder?: string;
  onProgress?: (step: string) => void;
  /** Aborts a build between two steps, and its setup script immediately. */
  signal?: AbortSignal | undefined;
}

export function listTemplates(templatesFolder: string = BUILT_IN_TEMPLATES): string[] {
  return readdirSync(templatesFolder).filter((name) =>
    existsSync(join(templatesFolder, name, 'template.json')),
  );
}

/** The layer of a template, built now if this version has none yet. Older versions are removed when nothing uses them. */
export async function ensureTemplate(options: TemplateOptions): Promise<{ layer: string }> {
  const { backend, name } = options;
  const folder = join(options.templatesFolder ?? BUILT_IN_TEMPLATES, name);
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name) || !existsSync(join(folder, 'template.json'))) {
    throw new Error(
      `no template ${JSON.stringify(name.slice(0, 60))}; available: ${listTemplates(options.templatesFolder).join(', ')}`,
    );
  }
  const manifest = readManifest(folder);
  const layer = `template-${name}-${fingerprint(folder, manifest, process.getuid?.() ?? 0)}`;
  if (!(await backend.hasLayer(layer))) await build(options, folder, manifest, layer);
  await removeOlder(backend, name, layer);
  return { layer };
}

async function build(
  options: TemplateOptions,
  folder: string,
  manifest: Manifest,
  layer: string,
): Promise<void> {
  const { backend, signal } = options;
  const progress = (step: string): void => {
    signal?.throwIfAborted();
    options.onProgress?.(step);
  };
  const script = join(folder, 'setup.sh');
  const hasSetup = existsSync(script);
  const filesLayer = hasSetup ? `${layer}-files` : layer;
  if (!(await backend.hasLayer(filesLayer))) {
    await backend.importLayer(filesLayer, async (root) => {
      progress('laying out files');
      writeSkeleton(root);
      for (const [name, rule] of Object.entries(manifest.packages)) {
        progress(`placing ${forThisMachine(name)}`);
        await placePackage(root, name, rule);
      }
      for (const [path, target] of Object.entries(manifest.links)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        rmSync(join(root, path), { force: true });
        symlinkSync(target, join(root, path));
      }
      const files = join(folder, 'files');
      if (existsSync(files)) cpSync(files, root, { recursive: true, verbatimSymlinks: true });
    });
  }
  if (!hasSetup) return;
  progress('running setup.sh');
  const { dataFolder } = options;
  await runSetup({ backend, dataFolder, script, from: filesLayer, to: layer, signal });
  await backend.removeLayer(filesLayer);
}

async function removeOlder(
  backend: IsolationBackend & LayerStore,
  name: string,
  current: string,
): Promise<void> {
  const isVersion = new RegExp(`^template-${name}-[0-9a-f]{16}$`);
  for (const layer of await backend.listLayers()) {
    if (isVersion.test(layer) && layer !== current) await backend.removeLayer(layer);
  }
}
