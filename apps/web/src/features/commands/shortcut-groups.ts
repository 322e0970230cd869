import { pages } from '../../app/navigation.ts';

interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly { readonly keys: string; readonly label: string }[];
}

/** All shortcuts, grouped by where they apply. */
export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: 'mod+k', label: 'Find a page or action' },
      { keys: 'n', label: 'New task' },
      ...pages.map(({ keys, label }) => ({ keys, label: `Go to ${label}` })),
      { keys: '?', label: 'Keyboard shortcuts' },
    ],
  },
  {
    title: 'On the board, with a card in focus',
    shortcuts: [
      { keys: '↑ ↓ ← →', label: 'Go to the next card' },
      { keys: 'Alt+↑', label: 'Move the card up' },
      { keys: 'Alt+↓', label: 'Move the card down' },
      { keys: 'Alt+→', label: 'Move the card to the next column' },
      { keys: 'Alt+←', label: 'Move the card to the previous column' },
      { keys: 'Enter', label: 'Open the card' },
    ],
  },
  {
    title: 'In a session',
    shortcuts: [
      { keys: '/', label: 'Write a prompt' },
      { keys: 'Enter', label: 'Send the prompt' },
      { keys: 'Esc Esc', label: 'Stop the agent' },
      { keys: '1', label: 'Open a pane (1 to 6)' },
      { keys: '0', label: 'Close the drawer' },
      { keys: 'f', label: 'Full-screen drawer' },
      { keys: 'End', label: 'Go to the newest entry' },
    ],
  },
  {
    title: 'In a review',
    shortcuts: [
      { keys: 'j', label: 'Next file' },
      { keys: 'k', label: 'Previous file' },
      { keys: 'v', label: 'Mark the file as viewed' },
      { keys: 'c', label: 'Comment on the line in focus' },
      { keys: '↑ ↓', label: 'Move between lines' },
      { keys: 'mod+Enter', label: 'Send the comments to the agent' },
    ],
  },
];
