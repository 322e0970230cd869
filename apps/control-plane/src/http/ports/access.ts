/** Closes WebSockets to ports (VS Code uses one) when the person who opened them loses access. */

const CHECK_INTERVAL_MS = 10_000;

export interface Access {
  isAllowed: () => Promise<boolean>;
  waitUntil: (work: Promise<unknown>) => void;
}

/** Aborting the request also closes the joined sockets; the runtime keeps handling back pressure. */
export function endWithAccess(
  response: Response,
  { isAllowed, waitUntil }: Access,
  controller: AbortController,
): void {
  if (response.webSocket === null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => void check(), CHECK_INTERVAL_MS);
  const check = async () => {
    // When the workspace does not respond, the next check asks again.
    if (await isAllowed().catch(() => true)) return;
    controller.abort();
  };
  controller.signal.addEventListener('abort', () => {
    clearInterval(timer);
    resolve();
  });
  waitUntil(promise);
}
