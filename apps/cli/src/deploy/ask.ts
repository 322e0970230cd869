import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Failure } from '../failure.ts';
import type { PlannedSecret } from './secrets.ts';
import { type Variable, exportedName } from './variables.ts';

export async function confirm(question: string): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, true);
  return /^y(es)?$/i.test(answer.trim());
}

/** Asks for missing secrets without echoing the input; an empty answer skips one. */
export async function askSecrets(missing: readonly Variable[]): Promise<PlannedSecret[]> {
  const typed: PlannedSecret[] = [];
  for (const variable of missing) {
    const { name, remedy = '', shape = '', pattern } = variable;
    process.stderr.write(`\n${exportedName(variable)} is not set. ${remedy}\n`);
    const value = (await ask('Paste it here, or press Enter to skip: ', false)).trim();
    if (value === '') continue;
    if (pattern?.test(value) === false)
      throw new Failure(`${exportedName(variable)} has the wrong format.`, `It must be ${shape}.`);
    typed.push({ name, value, source: 'typed' });
  }
  return typed;
}

function ask(question: string, isShown: boolean): Promise<string> {
  process.stderr.write(question);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isShown ? process.stderr : unseen;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise((resolve, reject) => {
    terminal.once('SIGINT', () => {
      terminal.close();
      reject(new Failure('Nothing was deployed.', 'Run ship deploy again to continue.', 130));
    });
    terminal.question('', (answer) => {
      terminal.close();
      if (!isShown) process.stderr.write('\n');
      resolve(answer);
    });
  });
}
