import { type Script, ScriptError, loadScript, startDemoModel } from '@ship/demo-model';
import { Failure } from '../failure.ts';
import { untilSignalled } from './signals.ts';
import { resolveUserPath } from '../paths.ts';

export async function serveDemoModel(options: { port: number; script?: string }): Promise<void> {
  const signalled = untilSignalled();
  const script = options.script === undefined ? undefined : await loadDemoScript(options.script);
  const server = await startDemoModel({
    port: options.port,
    ...(script === undefined ? {} : { script }),
  });
  process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl })}\n`);
  await signalled;
  await server.close();
}

/** Reports an error in the user's script with its position. */
export async function loadDemoScript(file: string): Promise<Script> {
  try {
    return await loadScript(resolveUserPath(file));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new Failure(error.message, 'The format is described in apps/demo-model/README.md.');
  }
}
