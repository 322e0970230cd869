import { resolve } from 'node:path';

import type { IsolationBackend, LayerStore, Limits } from '../isolation/backend.ts';
import { BUILT_IN_TEMPLATES, ensureTemplate, listTemplates } from '../templates/index.ts';
import type { TemplateCatalog } from './context.ts';

interface FolderCatalogOptions {
  backend: IsolationBackend & LayerStore;
  dataFolder: string;
  /** The owner's templates; they override built-in ones of the same name. */
  templatesDir: string | undefined;
  limits: Limits;
  onProgress: (message: string) => void;
}

/** Templates as folders on this machine; each is built once, on first use. */
export function createFolderCatalog(options: FolderCatalogOptions): TemplateCatalog {
  const folders = [
    BUILT_IN_TEMPLATES,
    ...(options.templatesDir === undefined ? [] : [resolve(options.templatesDir)]),
  ];
  const homes = new Map(
    folders.flatMap((folder) => listTemplates(folder).map((name) => [name, folder] as const)),
  );
  const startedAtMs = Date.now();
  const builds = new Map<string, Promise<string>>();

  const build = async (
    name: string,
    templatesFolder: string,
    signal: AbortSignal | undefined,
  ): Promise<string> => {
    const { backend, dataFolder } = options;
    const onProgress = (step: string): void => options.onProgress(`template ${name}: ${step}`);
    const wanted = { backend, dataFolder, name, templatesFolder, onProgress, signal };
    return (await ensureTemplate(wanted)).layer;
  };

  return {
    list: async () =>
      [...homes.keys()].map((name) => ({
        templateId: name,
        names: [name],
        limits: options.limits,
        createdAtMs: startedAtMs,
      })),
    async layerOf(templateId, signal) {
      const home = homes.get(templateId);
      if (home === undefined) throw new Error(`no template ${templateId}`);
      const building = builds.get(templateId) ?? build(templateId, home, signal);
      builds.set(templateId, building);
      try {
        return await building;
      } catch (error) {
        // A failed build must not be cached forever: the next call tries again.
        builds.delete(templateId);
        throw error;
      }
    },
  };
}
