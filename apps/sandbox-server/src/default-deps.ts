import { join } from 'node:path';

import type { ServerDeps } from './assemble.ts';
import type { Config } from './config.ts';
import { writeCertificates } from './certificates/folder.ts';
import { systemDialer, systemResolver } from './egress/dial.ts';
import { CERTIFICATES_FOLDER } from './envd/certificates.ts';
import { createBubblewrapBackend } from './isolation/index.ts';
import { systemClock } from './lifecycle/clock.ts';
import { createFolderCatalog } from './lifecycle/folder-catalog.ts';
import { readMachineMemory } from './lifecycle/memory-reading.ts';
import { prepareToolchains } from './toolchains/index.ts';
import { registryShare } from './registry/index.ts';

/** Defaults: bubblewrap, the template folders, and this machine's clock, resolver and network. */
export async function createDefaultDeps(
  config: Config,
  given: Partial<ServerDeps>,
): Promise<ServerDeps> {
  const common = {
    clock: given.clock ?? systemClock,
    resolve: given.resolve ?? systemResolver,
    dial: given.dial ?? systemDialer,
    log: given.log ?? (() => undefined),
    readMemory: given.readMemory ?? readMachineMemory,
  };
  if (given.backend !== undefined && given.catalog !== undefined) {
    return { ...common, backend: given.backend, catalog: given.catalog };
  }
  const dataFolder = join(config.dataDir, 'isolation');
  const certificates = join(config.dataDir, 'certificates');
  writeCertificates(certificates, {
    files: config.certificateFiles,
    onFailure: (message) => common.log({ atMs: common.clock.nowMs(), level: 'warn', message }),
  });
  const shared = [
    ...config.shared,
    { source: certificates, target: CERTIFICATES_FOLDER },
    ...registryShare(config.registries, config.dataDir),
  ];
  const toolchains = await prepareToolchains(dataFolder, config.toolchains);
  const backend = await createBubblewrapBackend({ dataFolder, shared, toolchains });
  const catalog = createFolderCatalog({
    backend,
    dataFolder,
    templatesDir: config.templatesDir,
    limits: config.limits,
    onProgress: (message) => common.log({ atMs: common.clock.nowMs(), level: 'info', message }),
  });
  return {
    ...common,
    backend: given.backend ?? backend,
    catalog: given.catalog ?? catalog,
    toolchainEntries: toolchains.entries,
  };
}
