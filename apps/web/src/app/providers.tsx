import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryDefaults } from '../data/query-defaults.ts';
import { isSignedOut, meQuery } from '../features/sign-in/me.ts';
import { router } from './router.tsx';

const queryClient: QueryClient = new QueryClient({
  // A revoked token fails any query; checking `me` again leads to the sign-in page.
  queryCache: new QueryCache({
    onError: (cause, { queryKey }) => {
      if (isSignedOut(cause) && queryKey[0] !== meQuery.queryKey[0])
        void queryClient.invalidateQueries(meQuery);
    },
  }),
  defaultOptions: { queries: queryDefaults },
});

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>
);
