import type { Todo } from '@ship/protocol';
import { cx } from 'class-variance-authority';
import { ToneGlyph } from '../../../../ui/tone.tsx';
import type { Tone } from '../../../../ui/tone.tsx';
import { newest } from '../items.ts';
import type { ViewProps } from './frame.tsx';

const tones: Readonly<Record<Todo['status'], Tone>> = {
  pending: 'none',
  'in-progress': 'busy',
  completed: 'ok',
  cancelled: 'none',
};
const words: Readonly<Record<Todo['status'], string>> = {
  pending: 'to do',
  'in-progress': 'in progress',
  completed: 'done',
  cancelled: 'cancelled',
};

/** The turn's latest to-do list, at the position of its first one. */
export function TodosView({ item }: ViewProps) {
  const event = newest(item);
  if (event.type !== 'todos.changed' || event.data.todos.length === 0) return null;
  const { todos } = event.data;
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <section aria-label="To-dos" className="my-2 rounded-xl border border-line bg-surface p-3">
      <h3 className="mb-1.5 text-sm text-muted tabular-nums">
        To-dos · {done} of {todos.length}
      </h3>
      <ul className="space-y-1">
        {todos.map(({ content, status }, index) => (
          <li key={index} className="flex items-start gap-2 text-sm">
            <ToneGlyph tone={tones[status]} className="mt-0.5" />
            <span
              className={cx(
                'min-w-0 break-words',
                (status === 'completed' || status === 'cancelled') && 'text-muted line-through',
              )}
            >
              {content}
              <span className="sr-only"> ({words[status]})</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
