import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ErrorPage } from './error-page.tsx';
import { NotFound } from './not-found.tsx';
import { Root } from './root.tsx';

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound });

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../features/home/home-page.tsx'), 'HomePage'),
});

const boardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/board',
  component: lazyRouteComponent(() => import('../features/board/board-page.tsx'), 'BoardPage'),
});

const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  component: lazyRouteComponent(() => import('../features/usage/usage-page.tsx'), 'UsagePage'),
});

const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  component: lazyRouteComponent(() => import('../features/system/system-page.tsx'), 'SystemPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('../features/settings/settings-page.tsx'),
    'SettingsPage',
  ),
});

const forgeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forge/$owner/$repository/pull/$number',
  component: lazyRouteComponent(() => import('../features/forge/forge-page.tsx'), 'ForgePage'),
});

const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId',
  validateSearch: ({ pane, at }: Record<string, unknown>): { pane?: string; at?: string } => ({
    ...(typeof pane === 'string' && { pane }),
    /** The file and line that the editor opens. */
    ...(typeof at === 'string' && { at }),
  }),
  component: lazyRouteComponent(
    () => import('../features/session/session-page.tsx'),
    'SessionPage',
  ),
});

const reviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sessions/$sessionId/review',
  component: lazyRouteComponent(() => import('../features/review/review-page.tsx'), 'ReviewPage'),
});

const loadSections = () => import('../features/settings/setting-sections.tsx');

const settingsRoutes = settingsRoute.addChildren([
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/',
    beforeLoad: () => {
      // oxlint-disable-next-line typescript/only-throw-error -- the router's own way to redirect
      throw redirect({ to: '/settings/general', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/general',
    component: lazyRouteComponent(loadSections, 'GeneralSection'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/limits',
    component: lazyRouteComponent(loadSections, 'LimitsSection'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/network',
    validateSearch: ({ allow }: Record<string, unknown>): { allow?: string } =>
      typeof allow === 'string' ? { allow } : {},
    component: lazyRouteComponent(loadSections, 'NetworkSection'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/secrets',
    component: lazyRouteComponent(loadSections, 'SecretsSection'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/repositories',
    component: lazyRouteComponent(
      () => import('../features/settings/repositories-section.tsx'),
      'RepositoriesSection',
    ),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/forges',
    component: lazyRouteComponent(
      () => import('../features/settings/forges-section.tsx'),
      'ForgesSection',
    ),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/models',
    component: lazyRouteComponent(
      () => import('../features/settings/models-section.tsx'),
      'ModelsSection',
    ),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/agent',
    component: lazyRouteComponent(
      () => import('../features/settings/agent/agent-section.tsx'),
      'AgentSection',
    ),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/tokens',
    component: lazyRouteComponent(
      () => import('../features/settings/tokens-section.tsx'),
      'TokensSection',
    ),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/browser',
    component: lazyRouteComponent(
      () => import('../features/settings/appearance-section.tsx'),
      'AppearanceSection',
    ),
  }),
]);

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    boardRoute,
    sessionRoute,
    reviewRoute,
    forgeRoute,
    usageRoute,
    settingsRoutes,
    systemRoute,
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
