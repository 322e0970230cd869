import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { isSignedOut, meQuery } from '../features/sign-in/me.ts';
import { router } from './router.tsx';

const queryClient: QueryClient = new QueryClient({
  // A token that was revoked: whether we are still known decides what is shown at all.
  queryCache: new QueryCache({
    onError: (cause, { queryKey }) => {
      if (isSignedOut(cause) && queryKey[0] !== meQuery.queryKey[0])
        void queryClient.invalidateQueries(meQuery);
    },
  }),
  // The server is this machine: a browser that believes itself offline can still reach it.
  defaultOptions: { queries: { networkMode: 'always', retry: false } },
});

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>
);
