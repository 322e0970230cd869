import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useDeferredValue } from 'react';
import { isSignedOut, meQuery } from '../features/sign-in/me.ts';
import { Frame } from './frame.tsx';

const SignInPage = lazy(async () => {
  const { SignInPage: Loaded } = await import('../features/sign-in/sign-in-page.tsx');
  return { default: Loaded };
});

/** Shows the app or the sign-in page, at every address: the address survives the sign-in. */
export function Root() {
  const { error } = useQuery(meQuery);
  // Keep the current page until the other one has loaded: an empty screen between them looks like a failure.
  const mustSignIn = useDeferredValue(isSignedOut(error));
  return <Suspense>{mustSignIn ? <SignInPage /> : <Frame />}</Suspense>;
}
