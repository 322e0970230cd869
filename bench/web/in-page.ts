/// <reference lib="dom" />
/* oxlint-disable unicorn/consistent-function-scoping -- it is sent to the browser as text, without its outer scope */
/** Stopwatches that run in the page. */

export interface Watched {
  /** Milliseconds from the navigation until `selector` exists and is idle. */
  readyMs?: number;
  keysMs: number[];
  paintsMs: number[];
  echoesMs: number[];
  longTasksMs: number[];
}

declare global {
  interface Window {
    watched: Watched;
  }
}

export function watch(selector: string): void {
  const watched: Watched = { keysMs: [], paintsMs: [], echoesMs: [], longTasksMs: [] };
  window.watched = watched;
  const check = () => {
    const isThere =
      document.querySelector(selector) !== null &&
      document.querySelector('[aria-busy=true]') === null;
    if (isThere) watched.readyMs ??= performance.now();
    else requestAnimationFrame(check);
  };
  requestAnimationFrame(check);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longTasksMs.push(duration);
  }).observe({ type: 'longtask' });

  let pressedAtMs: number | null = null;
  const soon = (then: () => void) => {
    const channel = new MessageChannel();
    channel.port1.addEventListener('message', then);
    channel.port1.start();
    channel.port2.postMessage(null);
  };
  addEventListener('keydown', ({ timeStamp }) => (pressedAtMs = timeStamp), { capture: true });
  // Until the letter is in the field and all of the app's work for it is done. From then on Chromium delays other tasks
  // until it has drawn: a message to oneself would also measure the wait for its next frame.
  addEventListener('input', () => {
    const from = pressedAtMs;
    if (from === null) return;
    queueMicrotask(() => watched.keysMs.push(performance.now() - from));
    requestAnimationFrame(() => soon(() => watched.paintsMs.push(performance.now() - from)));
  });

  // A terminal has no input field: the echo appears in its rows, within the frame that then shows it.
  let shown = 0;
  const lettersOf = (rows: Element) => (rows.textContent ?? '').replaceAll(/\s/g, '').length;
  new MutationObserver(() => {
    const rows = document.querySelector('.xterm-rows');
    if (rows === null) return;
    const now = lettersOf(rows);
    const from = pressedAtMs;
    if (now > shown && from !== null) {
      soon(() => watched.echoesMs.push(performance.now() - from));
      pressedAtMs = null;
    }
    shown = now;
  }).observe(document, { subtree: true, childList: true, characterData: true });
}
