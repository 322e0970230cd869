/** The measured server, in a separate process: `node serve.ts DATA_DIR POOL_SIZE`. */
import { startSandboxServer } from '../../apps/sandbox-server/src/index.ts';

const [dataDir = '', poolSize = '0'] = process.argv.slice(2);
const server = await startSandboxServer({
  apiKey: 'bench-key',
  dataDir,
  pool: { base: Number(poolSize) },
  capacity: { maxSandboxes: 200 },
});
process.stdout.write(
  `${JSON.stringify({ apiUrl: server.apiUrl, sandboxUrl: server.sandboxUrl })}\n`,
);
process.on('SIGTERM', () => {
  void server.close('stop').finally(() => process.exit(0));
});
