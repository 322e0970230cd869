import { Check, Copy } from 'lucide-react';
import { use, useEffect, useState } from 'react';
import { CodeText } from '../highlight/code-text.tsx';
import { languageOfFence } from '../highlight/language.ts';
import { IsFinished } from './is-finished.ts';

interface CodeBlockProps {
  readonly text: string;
  readonly language: string;
}

export function CodeBlock({ text, language }: CodeBlockProps) {
  const isFinished = use(IsFinished);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      setIsCopied(false);
    }
  };
  return (
    <div className="group relative my-2 overflow-hidden rounded-lg border border-line bg-rail">
      {/* Scrollable regions must be reachable by keyboard. */}
      <pre
        tabIndex={0}
        aria-label={language === '' ? 'Code' : `Code, ${language}`}
        className="max-h-96 overflow-auto px-3 py-2.5 font-mono text-sm leading-5"
      >
        <CodeText text={text} language={isFinished ? languageOfFence(language) : null} />
      </pre>
      <button
        type="button"
        onClick={() => void copy()}
        aria-label="Copy code"
        className="absolute top-1.5 right-1.5 grid size-7 place-items-center rounded-md border border-line bg-surface text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink"
      >
        {isCopied ? (
          <Check aria-hidden className="size-3.5 text-ok" />
        ) : (
          <Copy aria-hidden className="size-3.5" />
        )}
      </button>
    </div>
  );
}
