import { resolve } from 'node:path';
import { ScriptError, loadScript, startDemoModel } from '@ship/demo-model';
import { Failure } from '../failure.ts';
import { untilSignalled } from './signals.ts';

export async function serveDemoModel(options: { port: number; script?: string }): Promise<void> {
  const signalled = untilSignalled();
  const script = options.script === undefined ? undefined : await load(options.script);
  const server = await startDemoModel({
    port: options.port,
    ...(script === undefined ? {} : { script }),
  });
  process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl })}\n`);
  await signalled;
  await server.close();
}

async function load(file: string) {
  try {
    return await loadScript(resolve(process.env.INIT_CWD ?? process.cwd(), file));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new Failure(error.message, 'The format is described in apps/demo-model/README.md.');
  }
}
