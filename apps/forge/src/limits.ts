/** All limits: without them a large request could exhaust memory. */
export const limits = {
  jsonBodyBytes: 32 * 1024 * 1024,
  jsonBodyMs: 30_000,
  pushBytes: 4 * 1024 * 1024 * 1024,
  socketIdleMs: 120_000,
  gitProcesses: 8,
  gitProcessMs: 120_000,
  transfers: 32,
  /** Past either limit the patch of a file is omitted, as on GitHub. */
  patchBytes: 500 * 1024,
  patchLines: 20_000,
  /** Total size of the patches in one response; later files have no patch. */
  diffBytes: 10 * 1024 * 1024,
  compareFiles: 300,
  pullFiles: 3000,
  compareCommits: 250,
  rebaseCommits: 100,
  contentBytes: 1024 * 1024,
  blobBytes: 100 * 1024 * 1024,
  treeEntries: 100_000,
  pushedCommits: 20,
  webhookAttempts: 5,
  webhookTimeoutMs: 10_000,
  keptDeliveries: 1000,
  titleCharacters: 256,
  bodyCharacters: 65_536,
} as const;
