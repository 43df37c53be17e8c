/** The whole site map: which address shows which page. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { BrokenPage } from './BrokenPage.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';
import { ownPath } from './own-path.ts';

const root = createRootRoute();
const getParentRoute = () => root;

const home = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./features/accounts/HomePage.tsx'), 'HomePage'),
});
const setup = createRoute({
  getParentRoute,
  path: '/setup',
  validateSearch: ({ token }: { token?: unknown }) => (typeof token === 'string' ? { token } : {}),
  component: lazyRouteComponent(() => import('./features/accounts/SetupPage.tsx'), 'SetupPage'),
});
const signIn = createRoute({
  getParentRoute,
  path: '/sign-in',
  validateSearch: ({ next }: { next?: unknown }) => (next === undefined ? {} : { next: ownPath(next) }),
  component: lazyRouteComponent(() => import('./features/accounts/SignInPage.tsx'), 'SignInPage'),
});
const forgot = createRoute({
  getParentRoute,
  path: '/forgot',
  component: lazyRouteComponent(() => import('./features/accounts/ForgotPage.tsx'), 'ForgotPage'),
});
const reset = createRoute({
  getParentRoute,
  path: '/reset/$token',
  component: lazyRouteComponent(() => import('./features/accounts/ResetPage.tsx'), 'ResetPage'),
});
const invitation = createRoute({
  getParentRoute,
  path: '/invitations/$token',
  component: lazyRouteComponent(() => import('./features/accounts/InvitationPage.tsx'), 'InvitationPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, setup, signIn, forgot, reset, invitation]),
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: BrokenPage,
  // Search parameters are text. By default those that look like JSON are read as such, which would spoil tokens.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
