import { startForge } from '../../src/index.ts';

/** A forge in a process of its own, so that a test can kill it. */
const [root = '', port = '0'] = process.argv.slice(2);
const forge = await startForge({ root, port: Number(port) });
process.stdout.write(`${JSON.stringify({ apiUrl: forge.apiUrl, gitUrl: forge.gitUrl })}\n`);
