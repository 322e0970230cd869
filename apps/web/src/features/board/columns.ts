import type { BoardColumn } from '@ship/protocol';

interface ColumnLabels {
  readonly label: string;
  /** Shown while the column is empty. */
  readonly empty: string;
}

export const columnLabels: Readonly<Record<BoardColumn, ColumnLabels>> = {
  backlog: { label: 'Backlog', empty: 'Add tasks here; nothing runs until you start it.' },
  working: { label: 'Working', empty: 'Drop a task here to start it.' },
  'needs-you': { label: 'Needs attention', empty: 'Questions, plans and failures appear here.' },
  'in-review': { label: 'In review', empty: 'Open pull requests appear here.' },
  done: { label: 'Done', empty: 'Merged and closed work ends up here.' },
};
