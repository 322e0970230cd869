import { useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { pasteFiles } from '../../attachments/use-file-drop.ts';
import { useSession } from '../session-context.ts';
import { SuggestionList, optionId } from './suggestion-list.tsx';
import { replaceToken, tokenAt } from './token.ts';
import { useSuggestions } from './use-suggestions.ts';
import type { Suggestion } from './use-suggestions.ts';

interface PromptBoxProps {
  readonly text: string;
  readonly placeholder: string;
  readonly onChange: (text: string) => void;
  readonly onSend: (text: string) => void;
  readonly onFiles: (files: readonly File[]) => void;
}

/** The prompt field with its suggestions. */
export function PromptBox({ text, placeholder, onChange, onSend, onFiles }: PromptBoxProps) {
  const { sessionId } = useSession();
  const listId = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [activeIndex, setActiveIndex] = useState(0);
  /** Escape hides the suggestions until the text changes. */
  const [dismissed, setDismissed] = useState<string | null>(null);
  const token = dismissed === text ? null : tokenAt(text, caret);
  const suggestions = useSuggestions(sessionId, token);
  const hasSuggestions = token !== null && suggestions.length > 0;
  const active = Math.min(activeIndex, suggestions.length - 1);

  const choose = (suggestion: Suggestion) => {
    if (token === null) return;
    const next = replaceToken(text, token, suggestion.text);
    setActiveIndex(0);
    if (suggestion.isWhole) return onSend(next.text.trim());
    flushSync(() => {
      onChange(next.text);
      setCaret(next.caret);
    });
    box.current?.setSelectionRange(next.caret, next.caret);
    box.current?.focus();
  };
  /** Returns true if the suggestions handled the key. */
  const handleSuggestionKey = (event: KeyboardEvent): boolean => {
    const chosen = suggestions[active];
    if (!hasSuggestions || chosen === undefined) return false;
    if (event.key === 'ArrowDown') setActiveIndex((active + 1) % suggestions.length);
    else if (event.key === 'ArrowUp')
      setActiveIndex((active + suggestions.length - 1) % suggestions.length);
    else if (event.key === 'Escape') setDismissed(text);
    else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') choose(chosen);
    else return false;
    event.preventDefault();
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || handleSuggestionKey(event)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    // On touch devices Enter inserts a new line.
    if (matchMedia('(pointer: coarse)').matches && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    onSend(text);
  };
  return (
    <>
      <textarea
        id="composer"
        ref={box}
        aria-label="Prompt"
        aria-autocomplete="list"
        aria-controls={hasSuggestions ? listId : undefined}
        aria-activedescendant={hasSuggestions ? optionId(listId, active) : undefined}
        rows={1}
        value={text}
        placeholder={placeholder}
        onChange={(event) => {
          onChange(event.target.value);
          setCaret(event.target.selectionStart);
          setActiveIndex(0);
          setDismissed(null);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onBlur={() => setDismissed(text)}
        onKeyDown={onKeyDown}
        onPaste={pasteFiles(onFiles)}
        className="field-sizing-content max-h-60 min-h-8 min-w-0 flex-1 resize-none bg-transparent px-2 py-1 text-lg outline-none placeholder:text-faint md:text-base"
      />
      {hasSuggestions && (
        <SuggestionList
          id={listId}
          suggestions={suggestions}
          activeIndex={active}
          onChoose={choose}
        />
      )}
    </>
  );
}
