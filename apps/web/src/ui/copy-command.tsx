import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

interface CopyCommandProps {
  readonly command: string;
  /** A value instead of a command: no prompt sign, and not part of the accessible name. */
  readonly isSecret?: boolean;
}

/** Text with a copy button. */
export function CopyCommand({ command, isSecret = false }: CopyCommandProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    void navigator.clipboard.writeText(command).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-canvas py-0.5 pr-0.5 pl-3 font-mono text-sm">
      {!isSecret && (
        <span aria-hidden className="text-faint select-none">
          $
        </span>
      )}
      <code className="min-w-0 flex-1 truncate font-mono text-ink">{command}</code>
      <button
        type="button"
        onClick={copy}
        aria-label={isSecret ? 'Copy' : `Copy ${command}`}
        className="grid size-8 place-items-center rounded text-faint transition-colors hover:bg-hover hover:text-ink"
      >
        {copied ? <Check className="size-3.5 text-ok" /> : <Copy className="size-3.5" />}
      </button>
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </div>
  );
}
