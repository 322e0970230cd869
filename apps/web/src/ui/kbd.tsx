import { Command } from 'lucide-react';

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

/** `keys` in the notation of commands: "g h", "mod+k", "?". */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex items-center gap-1 text-faint">
      {keys.split(/[ +]/).map((key, index) => (
        <kbd
          key={index}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-canvas px-1 font-sans text-xs leading-none font-medium text-muted"
        >
          {key === 'mod' ? (
            isApple ? (
              <Command aria-label="Command" className="size-3" />
            ) : (
              'Ctrl'
            )
          ) : key.length === 1 ? (
            key.toUpperCase()
          ) : (
            key
          )}
        </kbd>
      ))}
    </span>
  );
}
