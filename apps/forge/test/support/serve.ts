import { startForge } from '../../src/index.ts';

/** Runs a forge in a separate process, so that a test can kill it. */
const [root = '', port = '0'] = process.argv.slice(2);
const forge = await startForge({ root, port: Number(port) });
process.stdout.write(`${JSON.stringify({ apiUrl: forge.apiUrl, gitUrl: forge.gitUrl })}\n`);
