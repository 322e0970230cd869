/** A sandbox server in a separate process, so that a test can kill it: `node serve.ts DATA_DIR [POOL_SIZE]`. */
import { startSandboxServer } from '../../src/index.ts';

const [dataDir = '', poolSize = '0'] = process.argv.slice(2);
const server = await startSandboxServer({
  apiKey: 'restart-key',
  dataDir,
  pool: { base: Number(poolSize) },
  log: ({ level, message, sandboxId }) =>
    process.stderr.write(`${level} ${sandboxId ?? 'server'}: ${message}\n`),
});
process.stdout.write(
  `${JSON.stringify({ apiUrl: server.apiUrl, sandboxUrl: server.sandboxUrl, domain: server.domain })}\n`,
);
// Memory in use after a collection: the resident size also includes what the collector keeps for later.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`memory in use: ${heapUsed + external}\n`);
});
process.on('SIGTERM', () => {
  void server.close('stop').finally(() => process.exit(0));
});
