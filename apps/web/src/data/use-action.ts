import { useMutation } from '@tanstack/react-query';
import { ShipFailure } from '@ship/protocol';
import type { ShipError } from '@ship/protocol';
import { toast } from '../ui/toast-store.ts';

/** A failure as people can be told it; what was not foreseen gets a remedy too. */
export const explain = (cause: unknown): Pick<ShipError, 'message' | 'remedy' | 'action'> =>
  cause instanceof ShipFailure
    ? cause.error
    : { message: 'Something went wrong.', remedy: 'Try again. Reload the page if it persists.' };

interface Reactions<Answer> {
  readonly onDone?: (answer: Answer) => void;
  /** Where the failure is shown beside the control, a toast would say it twice. */
  readonly isToldInPlace?: boolean;
}

/** A change of something on the server. Its failure is always told, with what to do. */
export function useAction<Input, Answer>(
  run: (input: Input) => Promise<Answer>,
  { onDone, isToldInPlace = false }: Reactions<Answer> = {},
) {
  return useMutation({
    mutationFn: run,
    networkMode: 'always',
    onSuccess: (answer) => onDone?.(answer),
    onError: (cause) => {
      if (isToldInPlace) return;
      const { message, remedy } = explain(cause);
      toast({ tone: 'bad', title: message, text: remedy });
    },
  });
}
