import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { router } from './router.tsx';

const queryClient = new QueryClient({
  // The server is this machine: a browser that believes itself offline can still reach it.
  defaultOptions: { queries: { networkMode: 'always', retry: false } },
});

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>
);
