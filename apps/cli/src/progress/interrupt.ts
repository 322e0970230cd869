import { createInterface } from 'node:readline';
import type { Reporter } from './reporter.ts';

type Choice = 'stop' | 'leave' | 'go-on';

interface InterruptOptions {
  reporter: Reporter;
  /** The server ends with this command. */
  endsWithUs: boolean;
  onChoice: (choice: Choice) => void;
}

/**
 * Ctrl-C while somebody watches is a question, not an end: the agent works elsewhere, and may go on doing so. Where nobody
 * can be asked it is left at work. Gives back how to stop listening.
 */
export function onInterrupt({ reporter, endsWithUs, onChoice }: InterruptOptions): () => void {
  let isAsking = false;
  const interrupted = () => {
    if (!process.stdin.isTTY || isAsking) return onChoice('leave');
    isAsking = true;
    reporter.pause();
    void ask(endsWithUs).then((choice) => {
      isAsking = false;
      if (choice !== 'leave') reporter.resume();
      return onChoice(choice);
    });
  };
  const ended = () => onChoice('leave');
  process.on('SIGINT', interrupted);
  process.on('SIGTERM', ended);
  return () => {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', ended);
  };
}

async function ask(endsWithUs: boolean): Promise<Choice> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const leaving = endsWithUs ? 'leave it until Ship runs again' : 'leave it at work';
  const answer = await new Promise<string>((resolve) => {
    // A second Ctrl-C means: out of here.
    terminal.once('SIGINT', () => resolve('l'));
    terminal.once('close', () => resolve('l'));
    terminal.question(`\nStop the agent [s], ${leaving} [l], or go on watching [Enter]? `, resolve);
  });
  terminal.close();
  const letter = answer.trim().toLowerCase()[0];
  if (letter === 's') return 'stop';
  return letter === 'l' ? 'leave' : 'go-on';
}
