import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, ROOT } from './paths.mjs';
import { measureSetup } from './times.mjs';

/** @type {readonly NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A failure with a remedy: what failed, and what to do. Never shown with a stack trace. */
export class SetupError extends Error {
  /** @param {string} message @param {string} remedy */
  constructor(message, remedy) {
    super(message);
    this.remedy = remedy;
  }
}

/** @param {unknown} error */
export function printError(error) {
  if (error instanceof SetupError) {
    process.stderr.write(`\nship: ${error.message}\n${indent(error.remedy)}\n`);
    return;
  }
  process.stderr.write(
    `\nship: set-up failed unexpectedly\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
}

/**
 * Runs one long step with visible progress: a ticking line on a terminal, a line at the start and the end elsewhere.
 * The tool's output goes to a log file; its last lines are printed only when the step fails.
 * @param {{title: string, command: string, args: string[], cwd?: string, env?: NodeJS.ProcessEnv, remedy: string}} step
 */
export async function runStep({ title, command, args, cwd = ROOT, env = process.env, remedy }) {
  mkdirSync(CACHE, { recursive: true });
  const logFile = join(CACHE, `${title.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}.log`);
  const log = createWriteStream(logFile);
  const startedAtMs = Date.now();
  const measured = measureSetup(title);
  const seconds = () => `${Math.round((Date.now() - startedAtMs) / 1000)} s`;
  const onTerminal = process.stderr.isTTY;
  process.stderr.write(onTerminal ? `ship: ${title} …` : `ship: ${title} …\n`);
  const ticker = setInterval(
    () => {
      process.stderr.write(
        onTerminal ? `\rship: ${title} … ${seconds()}` : `ship: ${title} … ${seconds()}\n`,
      );
    },
    onTerminal ? 1000 : 15_000,
  );

  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const interruption = forwardSignals(child);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  /** @type {number | null} */
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      log.write(`${error.message}\n`);
      resolve(null);
    });
    child.on('close', resolve);
  });
  clearInterval(ticker);
  measured();
  await new Promise((resolve) => log.end(resolve));
  interruption.end();
  if (onTerminal) process.stderr.write('\r\x1b[K');
  if (code === 0) {
    process.stderr.write(`ship: ${title}: done in ${seconds()}\n`);
    return;
  }
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  throw new SetupError(
    `${title}: failed after ${seconds()}`,
    `${tail}\n\n${remedy}\nThe whole output: ${logFile}`,
  );
}

/**
 * An `npm install` that outlives an interrupted set-up writes into node_modules beside the next one, and both end broken.
 * The signal ends the tool first, then this process in the usual way.
 * @param {import('node:child_process').ChildProcess} child
 */
function forwardSignals(child) {
  /** @type {NodeJS.Signals | undefined} */
  let received;
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    received = signal;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  return {
    end() {
      for (const signal of SIGNALS) process.off(signal, forward);
      if (received !== undefined) process.kill(process.pid, received);
    },
  };
}

/** @param {string} text */
function indent(text) {
  return text.replace(/^(?=.)/gm, '  ');
}
