import { useEffect, useRef, useState } from 'react';

/** Starts early, so that text scrolls into view with its colours. */
const margin = '600px';

/** Whether an element is or was in view. It never resets: text that scrolls back must not be plain for a frame. */
export function useSeen<Element extends HTMLElement>(isSeenAtFirst = false) {
  const ref = useRef<Element>(null);
  const [isSeen, setIsSeen] = useState(isSeenAtFirst);
  useEffect(() => {
    const element = ref.current;
    if (isSeen || element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true);
      },
      { rootMargin: margin, scrollMargin: margin },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return [ref, isSeen] as const;
}
