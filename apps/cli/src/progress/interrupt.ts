import { createInterface } from 'node:readline';
import type { Reporter } from './reporter.ts';

type Choice = 'stop' | 'leave' | 'keep-watching';

interface InterruptOptions {
  reporter: Reporter;
  /** The server is temporary and ends with this command. */
  isServerTemporary: boolean;
  onChoice: (choice: Choice) => void;
}

/**
 * Asks on Ctrl-C whether to stop the agent: it works on the server and may continue there. Without a terminal, the agent is left
 * running. Returns a function that removes the listeners.
 */
export function onInterrupt({
  reporter,
  isServerTemporary,
  onChoice,
}: InterruptOptions): () => void {
  let isAsking = false;
  const interrupted = () => {
    if (!process.stdin.isTTY || isAsking) return onChoice('leave');
    isAsking = true;
    reporter.pause();
    void ask(isServerTemporary).then((choice) => {
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

async function ask(isServerTemporary: boolean): Promise<Choice> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const leaving = isServerTemporary ? 'leave it until Ship runs again' : 'leave it running';
  const answer = await new Promise<string>((resolve) => {
    // A second Ctrl-C exits.
    terminal.once('SIGINT', () => resolve('l'));
    terminal.once('close', () => resolve('l'));
    terminal.question(`\nStop the agent [s], ${leaving} [l], or keep watching [Enter]? `, resolve);
  });
  terminal.close();
  const letter = answer.trim().toLowerCase()[0];
  if (letter === 's') return 'stop';
  return letter === 'l' ? 'leave' : 'keep-watching';
}
