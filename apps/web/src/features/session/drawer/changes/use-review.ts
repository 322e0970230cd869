import { createContext, use, useEffect, useMemo, useState } from 'react';
import { readComments, writeComments } from './comment-storage.ts';
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

/** Review comments stay in this browser until they are sent together as one prompt. */
export function useReviewState(sessionId: string, send: (text: string) => Promise<unknown>) {
  const [comments, setComments] = useState(() => readComments(sessionId));
  useEffect(() => writeComments(sessionId, comments), [sessionId, comments]);
  const review = useMemo(
    (): Review => ({
      comments,
      add: (comment) => setComments((before) => [...before, comment]),
      remove: (comment) => setComments((before) => before.filter((one) => one !== comment)),
    }),
    [comments],
  );
  const submit = async (): Promise<boolean> => {
    try {
      await send(composeReview(comments));
      setComments([]);
      return true;
    } catch {
      // A toast shows the error; keep the comments.
      return false;
    }
  };
  return { review, submit };
}
