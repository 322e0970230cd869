import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { ErrorPage } from './error-page.tsx';
import { Frame } from './frame.tsx';
import { NotFound } from './not-found.tsx';

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../features/home/home-page.tsx'), 'HomePage'),
});

const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  component: lazyRouteComponent(() => import('../features/system/system-page.tsx'), 'SystemPage'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, systemRoute]),
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
