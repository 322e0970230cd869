/** What is open to a port ends with the access of the person who opened it: sockets (VS Code is one), and answers that go on. */

const CHECK_EVERY_MS = 10_000;

export interface Access {
  isAllowed: () => Promise<boolean>;
  waitUntil: (work: Promise<unknown>) => void;
}

/** Aborting the request ends the joined sockets too, and back pressure stays with the runtime. */
export function endWithAccess(
  answer: Response,
  { isAllowed, waitUntil }: Access,
  ending: AbortController,
): void {
  if (answer.webSocket === null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = setInterval(() => void look(), CHECK_EVERY_MS);
  const look = async () => {
    // A workspace that does not answer is asked again.
    if (await isAllowed().catch(() => true)) return;
    ending.abort();
  };
  ending.signal.addEventListener('abort', () => {
    clearInterval(check);
    resolve();
  });
  waitUntil(promise);
}
