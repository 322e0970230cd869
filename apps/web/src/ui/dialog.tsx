import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { buttonStyles } from './button.tsx';
import { cva, cx } from 'class-variance-authority';
import type { VariantProps } from 'class-variance-authority';

const panel = cva(
  'fixed inset-x-4 top-[12dvh] z-50 mx-auto max-h-[76dvh] animate-rise overflow-y-auto overscroll-contain rounded-xl border border-line bg-surface shadow-dialog outline-none',
  {
    variants: {
      size: { md: 'max-w-md', lg: 'max-w-lg', xl: 'top-[6dvh]! max-h-[88dvh]! max-w-3xl' },
    },
    defaultVariants: { size: 'md' },
  },
);

interface DialogProps {
  readonly title: string;
  readonly description: string;
  readonly hideHeading?: boolean;
  readonly onClose: () => void;
  readonly size?: VariantProps<typeof panel>['size'];
  readonly children: ReactNode;
}

/** Mount it to open it. It does not use Radix's Overlay, which adds an inline <style> that our Content-Security-Policy refuses. */
export function Dialog({ title, description, hideHeading, onClose, size, children }: DialogProps) {
  // Radix returns the focus to its trigger; our dialogs also open by shortcut, so remember the focused element.
  const opener = useRef(document.activeElement);
  return (
    <Primitive.Root open onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <div
          data-slot="dialog-backdrop"
          className="fixed inset-0 z-40 animate-appear bg-black/25 dark:bg-black/55"
        />
      </Primitive.Portal>
      <Primitive.Portal>
        <Primitive.Content
          // Focus the panel, not its first control: a focus ring on a switch would look like a question.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          className={panel({ size })}
        >
          <div className={hideHeading ? 'sr-only' : 'px-5 pt-4 pb-3'}>
            <Primitive.Title className="text-lg font-semibold tracking-tight">
              {title}
            </Primitive.Title>
            <Primitive.Description className="text-sm text-muted">
              {description}
            </Primitive.Description>
          </div>
          {!hideHeading && (
            <Primitive.Close
              aria-label="Close"
              className={cx(
                buttonStyles({ variant: 'ghost', size: 'icon' }),
                'absolute top-3 right-3',
              )}
            >
              <X aria-hidden />
            </Primitive.Close>
          )}
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
