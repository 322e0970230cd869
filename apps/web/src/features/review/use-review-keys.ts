import { FileDiff } from 'lucide-react';
import type { Command } from '../commands/command.ts';
import { useShortcuts } from '../commands/use-shortcuts.ts';
import type { Files } from './use-files.ts';

const command = (keys: string, label: string, run: () => void): Command => ({
  id: `review:${keys}`,
  label,
  group: 'Session',
  icon: FileDiff,
  keys,
  run,
});

/** j and k go to the next and previous file, v marks one as viewed, c comments, ⌘⏎ sends the comments. */
export function useReviewKeys(files: Files, onSend: () => void): void {
  useShortcuts([
    command('j', 'Next file', () => files.step(1)),
    command('k', 'Previous file', () => files.step(-1)),
    command('v', 'Viewed', files.viewCurrent),
    command('c', 'Comment', files.comment),
    command('mod+enter', 'Send the comments', onSend),
  ]);
}
