import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import { isSignedOut, meQuery } from '../features/sign-in/me.ts';
import { Frame } from './frame.tsx';

const SignInPage = lazy(async () => {
  const { SignInPage: Loaded } = await import('../features/sign-in/sign-in-page.tsx');
  return { default: Loaded };
});

/** The app, or where to sign in: at every address, so that the address is still there afterwards. */
export function Root() {
  const { error } = useQuery(meQuery);
  if (!isSignedOut(error)) return <Frame />;
  return (
    <Suspense>
      <SignInPage />
    </Suspense>
  );
}
