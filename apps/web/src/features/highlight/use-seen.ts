import { useEffect, useRef, useState } from 'react';

/** A little before, so that what comes into sight has its colours. */
const margin = '600px';

/** Whether an element is, or once was, in sight. What comes back with its colours known must not be plain for a frame. */
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
