import { fail } from '@ship/protocol';
import { CommandExitError, type CommandHandle, type Sandbox } from 'e2b';
import { quoteArgv } from './quote-argv.ts';
import type { BackgroundRequest, CommandOutcome, CommandRequest } from './port.ts';

/**
 * Per command, both streams together. Anything inside can print without end, even during Ship's own commands: every command
 * reads the user's profile first. The SDK keeps a whole output in memory.
 */
const MAX_OUTPUT_BYTES = 8_000_000;

interface CallOptions {
  requestTimeoutMs: number;
}

/** Runs a command to its end. One that prints too much is killed, and its output is dropped. */
export async function runBounded(
  sandbox: Sandbox,
  command: CommandRequest,
  callOptions: CallOptions,
): Promise<CommandOutcome> {
  const { argv, timeoutMs, maxOutputBytes = MAX_OUTPUT_BYTES } = command;
  const over = Promise.withResolvers<'over'>();
  const disconnected = Promise.withResolvers<void>();
  let printed = 0;
  const count = async (text: string) => {
    printed += text.length;
    if (printed <= maxOutputBytes) return;
    over.resolve('over');
    // The SDK resumes reading when this returns, which must not happen before the stream is closed.
    await disconnected.promise;
  };
  const handle = await sandbox.commands.run(quoteArgv(argv), {
    ...optionsOf(command),
    ...callOptions,
    timeoutMs,
    background: true,
    onStdout: count,
    onStderr: count,
  });
  const ended = outcomeOf(handle);
  const first = await Promise.race([over.promise, ended]);
  if (first !== 'over') return first;
  // A disconnected stream ends without a result.
  ended.catch(() => undefined);
  await handle.disconnect();
  disconnected.resolve();
  await sandbox.commands.kill(handle.pid, callOptions);
  return fail(
    'limit-reached',
    `A command in the sandbox printed more than ${megabytes(maxOutputBytes)} and was killed.`,
    'Check what the sandbox runs, such as its shell profile, or end the sandbox to get a clean one; then retry.',
  );
}

async function outcomeOf(handle: CommandHandle): Promise<CommandOutcome> {
  try {
    const { exitCode, stdout, stderr } = await handle.wait();
    return { exitCode, stdout, stderr };
  } catch (error) {
    if (!(error instanceof CommandExitError)) throw error;
    return { exitCode: error.exitCode, stdout: error.stdout, stderr: error.stderr };
  }
}

export function optionsOf({ cwd, user, env }: BackgroundRequest) {
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { user }),
    ...(env === undefined ? {} : { envs: env }),
  };
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
