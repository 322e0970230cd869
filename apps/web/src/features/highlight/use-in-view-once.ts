import { useEffect, useRef, useState } from 'react';

/** Starts early, so that text scrolls into view with its colours. */
const margin = '600px';

/** Whether an element is or was in view. It never resets: text that scrolls back must not be plain for a frame. */
export function useInViewOnce<Element extends HTMLElement>(isInitiallyInView = false) {
  const ref = useRef<Element>(null);
  const [isInView, setIsInView] = useState(isInitiallyInView);
  useEffect(() => {
    const element = ref.current;
    if (isInView || element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsInView(true);
      },
      { rootMargin: margin, scrollMargin: margin },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isInView]);
  return [ref, isInView] as const;
}
