import { signInCode } from '@ship/protocol/sign-in-link';
import { loadSignInApi } from '../../api/load.ts';

let refusal: unknown;

/**
 * Signs in with the link that opened this page, before the first render and request, which would be refused. Undefined without a
 * link.
 */
export function signInByLink(): Promise<void> | undefined {
  const code = signInCode(location.hash);
  // Pasting a link into the address bar of this page only changes the fragment.
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
    // Shown only if this browser is not signed in already.
    refusal = cause;
  }
}

/** Why the link did not sign in; undefined without a failure. */
export const linkRefusal = (): unknown => refusal;
