import { useMutation } from '@tanstack/react-query';
import { ShipFailure } from '@ship/protocol';
import type { ShipError } from '@ship/protocol';
import { toast } from '../ui/toast-store.ts';

/** A failure in words for people; unexpected errors get a generic remedy. */
export const explain = (cause: unknown): Pick<ShipError, 'message' | 'remedy' | 'action'> =>
  cause instanceof ShipFailure
    ? cause.error
    : { message: 'Something went wrong.', remedy: 'Try again. Reload the page if it persists.' };

interface ActionOptions<Answer> {
  readonly onDone?: (answer: Answer) => void;
  /** Set if the failure is shown beside the control: a toast would repeat it. */
  readonly showsErrorInline?: boolean;
}

/** A mutation that shows its failure with a remedy. */
export function useAction<Input, Answer>(
  run: (input: Input) => Promise<Answer>,
  { onDone, showsErrorInline = false }: ActionOptions<Answer> = {},
) {
  return useMutation({
    mutationFn: run,
    networkMode: 'always',
    onSuccess: (answer) => onDone?.(answer),
    onError: (cause) => {
      if (showsErrorInline) return;
      const { message, remedy } = explain(cause);
      toast({ tone: 'bad', title: message, text: remedy });
    },
  });
}
