import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { ForgeFailure, type ForgeOptions, type RunningForge, startForge } from '@ship/forge';
import { Failure } from '../failure.ts';
import { untilSignalled } from './signals.ts';

export async function serveForge(options: { port: number; root: string }): Promise<void> {
  const signalled = untilSignalled();
  const root = resolve(process.env.INIT_CWD ?? process.cwd(), options.root);
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

/** Merges made on this machine carry the name that its user's commits carry. */
function gitIdentity(): { name?: string; email?: string } {
  const name = gitConfig('user.name');
  const email = gitConfig('user.email');
  return { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
}

function gitConfig(key: string): string | undefined {
  try {
    return execFileSync('git', ['config', '--get', key], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
