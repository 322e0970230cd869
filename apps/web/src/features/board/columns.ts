import type { BoardColumn } from '@ship/protocol';

interface ColumnWords {
  readonly label: string;
  /** Shown while it is empty: what will be here. */
  readonly empty: string;
}

export const columnWords: Readonly<Record<BoardColumn, ColumnWords>> = {
  backlog: { label: 'Backlog', empty: 'Write tasks down here. Nothing starts by itself.' },
  working: { label: 'Working', empty: 'Drop a task here to start it.' },
  'needs-you': { label: 'Needs you', empty: 'Questions, plans and failures come here.' },
  'in-review': { label: 'In review', empty: 'Draft pull requests wait here.' },
  done: { label: 'Done', empty: 'Merged and closed work ends here.' },
};
