import { Switch as Primitive } from 'radix-ui';
import type { ComponentProps } from 'react';

export const Switch = (props: ComponentProps<typeof Primitive.Root>) => (
  <Primitive.Root
    className="h-5 w-9 shrink-0 rounded-full border border-line-strong bg-hover p-px transition-colors data-[state=checked]:border-brand data-[state=checked]:bg-brand"
    {...props}
  >
    <Primitive.Thumb className="block size-4 rounded-full bg-white shadow-sm transition-transform data-[state=checked]:translate-x-4 dark:bg-ink" />
  </Primitive.Root>
);
