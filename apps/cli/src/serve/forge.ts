import { ForgeFailure, type ForgeOptions, type RunningForge, startForge } from '@ship/forge';
import { Failure } from '../failure.ts';
import { gitIdentity } from '../git-identity.ts';
import { untilSignalled } from './signals.ts';
import { resolveUserPath } from '../paths.ts';

export async function serveForge(options: { port: number; root: string }): Promise<void> {
  const signalled = untilSignalled();
  const root = resolveUserPath(options.root);
  const forge = await start({ port: options.port, root, ...gitIdentity() });
  process.stdout.write(`${JSON.stringify({ apiUrl: forge.apiUrl, gitUrl: forge.gitUrl })}\n`);
  await signalled;
  await forge.close();
}

async function start(options: ForgeOptions): Promise<RunningForge> {
  try {
    return await startForge(options);
  } catch (error) {
    if (!(error instanceof ForgeFailure)) throw error;
    throw new Failure(error.message, error.remedy);
  }
}
