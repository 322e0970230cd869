import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useDeferredValue } from 'react';
import { isSignedOut, meQuery } from '../features/sign-in/me.ts';
import { Frame } from './frame.tsx';

const SignInPage = lazy(async () => {
  const { SignInPage: Loaded } = await import('../features/sign-in/sign-in-page.tsx');
  return { default: Loaded };
});

/** The app, or where to sign in: at every address, so that the address is still there afterwards. */
export function Root() {
  const { error } = useQuery(meQuery);
  // What is there stays until the other page is: an empty screen between them looks like a failure.
  const isStranger = useDeferredValue(isSignedOut(error));
  return <Suspense>{isStranger ? <SignInPage /> : <Frame />}</Suspense>;
}
