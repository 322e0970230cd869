import { createContext, use, useMemo, useState } from 'react';
import { composeReview } from './review.ts';
import type { ReviewComment } from './review.ts';

export interface Review {
  readonly comments: readonly ReviewComment[];
  readonly add: (comment: ReviewComment) => void;
  readonly remove: (comment: ReviewComment) => void;
}

export const ReviewContext = createContext<Review>({
  comments: [],
  add: () => undefined,
  remove: () => undefined,
});

export const useReview = () => use(ReviewContext);

/** Comments are kept in the page until they are sent: they are one message, not many. */
export function useReviewState(send: (text: string) => Promise<unknown>) {
  const [comments, setComments] = useState<readonly ReviewComment[]>([]);
  const review = useMemo(
    (): Review => ({
      comments,
      add: (comment) => setComments((before) => [...before, comment]),
      remove: (comment) => setComments((before) => before.filter((one) => one !== comment)),
    }),
    [comments],
  );
  const submit = async () => {
    try {
      await send(composeReview(comments));
      setComments([]);
    } catch {
      // The toast says why; the comments stay.
    }
  };
  return { review, submit };
}
