import { useEffect, useRef } from 'react';
import type { Suggestion } from './use-suggestions.ts';

interface SuggestionListProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly activeIndex: number;
  readonly onChoose: (suggestion: Suggestion) => void;
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** Opens above the text field, which keeps the focus. */
export function SuggestionList({ id, suggestions, activeIndex, onChoose }: SuggestionListProps) {
  const active = useRef<HTMLLIElement>(null);
  useEffect(() => {
    active.current?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);
  return (
    <ul
      id={id}
      role="listbox"
      aria-label="Suggestions"
      className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 animate-rise overflow-y-auto rounded-xl border border-line bg-surface p-1 shadow-dialog"
    >
      {suggestions.map((suggestion, index) => (
        <li
          key={suggestion.key}
          id={optionId(id, index)}
          ref={index === activeIndex ? active : null}
          role="option"
          aria-selected={index === activeIndex}
          // Otherwise a click would take the focus from the text field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
          className="flex cursor-pointer items-baseline gap-3 rounded-lg px-2.5 py-1.5 text-sm hover:bg-hover aria-selected:bg-hover"
        >
          <span className="min-w-0 font-mono text-xs break-all">{suggestion.text}</span>
          <span className="ml-auto min-w-0 truncate text-muted">{suggestion.detail}</span>
        </li>
      ))}
    </ul>
  );
}
