import { createInterface } from 'node:readline';

/** Whether a person can answer: stdin and stderr must be a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** One line from the terminal; empty after Ctrl-C or Ctrl-D. */
export function askLine(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => terminal.close());
    terminal.once('close', () => resolve(''));
    terminal.question(question, (answer) => {
      resolve(answer);
      terminal.close();
    });
  });
}
