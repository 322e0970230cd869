import { useState } from 'react';

const key = 'ship.drawer-width';
const minPx = 320;

/** On wide windows, enough for all pane labels and lines of code. */
const defaultWidth = (windowPx: number): number => Math.min(Math.max(480, windowPx * 0.42), 760);

/** At least readable, and never so wide that it hides the conversation. */
const clampWidth = (width: number, windowPx: number): number =>
  Math.round(Math.min(Math.max(width, minPx), Math.max(minPx, windowPx * 0.65)));

function read(windowPx: number): number {
  try {
    const stored = Number(localStorage.getItem(key));
    return stored > 0 ? stored : defaultWidth(windowPx);
  } catch {
    return defaultWidth(windowPx);
  }
}

export function useDrawerWidth() {
  const [width, setState] = useState(() => clampWidth(read(window.innerWidth), window.innerWidth));
  const setWidth = (wanted: number) => {
    const next = clampWidth(wanted, window.innerWidth);
    setState(next);
    try {
      localStorage.setItem(key, String(next));
    } catch {
      // Lasts as long as the page.
    }
  };
  return { width, setWidth };
}
