import { signInCode } from '@ship/protocol/sign-in-link';
import { loadSignInApi } from '../../api/load.ts';

let refusal: unknown;

/**
 * Signs in with the link that this page was opened with, if it was. Before anything is drawn or asked: it would all be refused.
 * Undefined when there is nothing to wait for.
 */
export function signInByLink(): Promise<void> | undefined {
  const code = signInCode(location.hash);
  // A link that is pasted into the address bar of this page changes the fragment only.
  addEventListener('hashchange', () => {
    if (signInCode(location.hash) !== undefined) location.reload();
  });
  if (code === undefined) return undefined;
  // The code must not stay in the history, in a bookmark or on a screenshot.
  history.replaceState(null, '', location.pathname + location.search);
  return redeem(code);
}

async function redeem(code: string): Promise<void> {
  try {
    const { signInByCode } = await loadSignInApi();
    await signInByCode(code);
  } catch (cause) {
    // Shown only if this browser is not known already.
    refusal = cause;
  }
}

/** Why the link of this page did not sign in; undefined when it did, or there was none. */
export const linkRefusal = (): unknown => refusal;
