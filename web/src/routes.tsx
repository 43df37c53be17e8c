/** The routes of the interface. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { flagsSearch } from './features/flags/flags-search.ts';
import { projectReading } from './server/project.ts';
import { client } from './server/query-client.ts';
import { BrokenPage } from './shell/BrokenPage.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { nameFromAddress, nameInAddress, ownPath } from './state/paths.ts';
import { parseSearch, stringifySearch, textSearch } from './state/search-params.ts';

const root = createRootRoute();
const getParentRoute = () => root;

/** Pages for people who are not signed in. Emails link to these addresses. */
const setup = createRoute({
  getParentRoute,
  path: '/setup',
  validateSearch: ({ token }: { token?: unknown }) => (typeof token === 'string' ? { token } : {}),
  component: lazyRouteComponent(() => import('./features/accounts/SetupPage.tsx'), 'SetupPage'),
});
const signIn = createRoute({
  getParentRoute,
  path: '/sign-in',
  validateSearch: ({ next, drafts }: { next?: unknown; drafts?: unknown }) => ({
    ...(next === undefined ? {} : { next: ownPath(next, location.origin) }),
    ...(drafts === 'kept' ? { drafts } : {}),
  }),
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

/** Everything else requires a session and is shown next to the navigation. */
const shell = createRoute({
  getParentRoute,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell'),
});
const inShell = { getParentRoute: () => shell, validateSearch: textSearch };

const home = createRoute({
  ...inShell,
  path: '/',
  component: lazyRouteComponent(() => import('./shell/HomePage.tsx'), 'HomePage'),
});
const welcome = createRoute({
  ...inShell,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./features/welcome/WelcomePage.tsx'), 'WelcomePage'),
});
const me = createRoute({
  ...inShell,
  path: '/me',
  component: lazyRouteComponent(() => import('./features/accounts/MePage.tsx'), 'MePage'),
});

const users = createRoute({
  ...inShell,
  path: '/admin/users',
  component: lazyRouteComponent(() => import('./features/users/UsersPage.tsx'), 'UsersPage'),
});
const user = createRoute({
  ...inShell,
  path: '/admin/users/$user',
  component: lazyRouteComponent(() => import('./features/users/UserPage.tsx'), 'UserPage'),
});
const groups = createRoute({
  ...inShell,
  path: '/admin/groups',
  component: lazyRouteComponent(() => import('./features/groups/GroupsPage.tsx'), 'GroupsPage'),
});
const group = createRoute({
  ...inShell,
  path: '/admin/groups/$group',
  component: lazyRouteComponent(() => import('./features/groups/GroupPage.tsx'), 'GroupPage'),
});
const apiKeys = createRoute({
  ...inShell,
  path: '/admin/api-keys',
  component: lazyRouteComponent(() => import('./features/api-keys/ApiKeysPage.tsx'), 'ApiKeysPage'),
});
const accountActivity = createRoute({
  ...inShell,
  path: '/admin/activity',
  component: lazyRouteComponent(() => import('./features/changes/AccountActivityPage.tsx'), 'AccountActivityPage'),
});
const serverSettings = createRoute({
  ...inShell,
  path: '/admin/settings',
  component: lazyRouteComponent(() => import('./features/projects/ServerSettingsPage.tsx'), 'ServerSettingsPage'),
});
const imports = createRoute({
  ...inShell,
  path: '/admin/settings/import',
  component: lazyRouteComponent(() => import('./features/imports/ImportPage.tsx'), 'ImportPage'),
});

const project = createRoute({
  getParentRoute: () => shell,
  path: '/p/$project',
  // Asked again with each page inside: some lists are just empty once the project is closed to the user.
  // Not waited for: nothing would be shown while the server does not answer.
  loader: ({ params }) => void client.prefetchQuery({ ...projectReading(params.project), staleTime: 0 }),
  shouldReload: true,
  component: lazyRouteComponent(() => import('./shell/ProjectLayout.tsx'), 'ProjectLayout'),
});
const inProject = { getParentRoute: () => project, validateSearch: textSearch };

const projectHome = createRoute({
  ...inProject,
  path: '/',
  component: lazyRouteComponent(() => import('./features/home/ProjectHomePage.tsx'), 'ProjectHomePage'),
});
const flags = createRoute({
  getParentRoute: () => project,
  path: '/flags',
  validateSearch: flagsSearch,
  component: lazyRouteComponent(() => import('./features/flags/FlagsPage.tsx'), 'FlagsPage'),
});
/** A dialog over the list. */
const newFlag = createRoute({
  getParentRoute: () => flags,
  path: '/new',
  component: lazyRouteComponent(() => import('./features/flags/NewFlagDialog.tsx'), 'NewFlagDialog'),
});
const archivedFlags = createRoute({
  ...inProject,
  path: '/archived',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/p/$project/flags', params, search: { archived: 'true' } });
  },
});
const cleanup = createRoute({
  ...inProject,
  path: '/cleanup',
  component: lazyRouteComponent(() => import('./features/flags/CleanupPage.tsx'), 'CleanupPage'),
});
const segments = createRoute({
  ...inProject,
  path: '/segments',
  component: lazyRouteComponent(() => import('./features/segments/SegmentsPage.tsx'), 'SegmentsPage'),
});
const segment = createRoute({
  ...inProject,
  path: '/segments/$segment',
  component: lazyRouteComponent(() => import('./features/segments/SegmentPage.tsx'), 'SegmentPage'),
});
const segmentInEnvironment = createRoute({
  ...inProject,
  path: '/segments/$segment/$environment',
  component: lazyRouteComponent(() => import('./features/segments/SegmentPage.tsx'), 'SegmentPage'),
});
const projectActivity = createRoute({
  ...inProject,
  path: '/activity',
  component: lazyRouteComponent(() => import('./features/changes/ProjectActivityPage.tsx'), 'ProjectActivityPage'),
});
const changesets = createRoute({
  ...inProject,
  path: '/changesets',
  component: lazyRouteComponent(() => import('./features/changesets/ChangesetsPage.tsx'), 'ChangesetsPage'),
});
const changeset = createRoute({
  ...inProject,
  path: '/changesets/$changeset',
  component: lazyRouteComponent(() => import('./features/changesets/ChangesetPage.tsx'), 'ChangesetPage'),
});
const drift = createRoute({
  ...inProject,
  path: '/drift',
  component: lazyRouteComponent(() => import('./features/drift/DriftPage.tsx'), 'DriftPage'),
});
const sdks = createRoute({
  ...inProject,
  path: '/sdks',
  component: lazyRouteComponent(() => import('./features/sdks/SdksPage.tsx'), 'SdksPage'),
});
const environmentSdks = createRoute({
  ...inProject,
  path: '/sdks/$environment',
  component: lazyRouteComponent(() => import('./features/sdks/SdksPage.tsx'), 'SdksPage'),
});
const environmentEvents = createRoute({
  ...inProject,
  path: '/sdks/$environment/events',
  component: lazyRouteComponent(() => import('./features/sdks/SdksPage.tsx'), 'EventsPage'),
});
const environments = createRoute({
  ...inProject,
  path: '/environments',
  component: lazyRouteComponent(() => import('./features/environments/EnvironmentsPage.tsx'), 'EnvironmentsPage'),
});
const projectSettings = createRoute({
  ...inProject,
  path: '/settings',
  component: lazyRouteComponent(() => import('./features/projects/ProjectSettingsPage.tsx'), 'ProjectSettingsPage'),
});
const projectAccess = createRoute({
  ...inProject,
  path: '/settings/access',
  component: lazyRouteComponent(() => import('./features/projects/access/AccessPage.tsx'), 'AccessPage'),
});
const projectFlagSets = createRoute({
  ...inProject,
  path: '/settings/flag-sets',
  component: lazyRouteComponent(() => import('./features/projects/flag-sets/FlagSetsPage.tsx'), 'FlagSetsPage'),
});
const projectAttributes = createRoute({
  ...inProject,
  path: '/settings/attributes',
  component: lazyRouteComponent(() => import('./features/projects/attributes/AttributesPage.tsx'), 'AttributesPage'),
});

// Keep in sync with the reserved names in `paths.ts`.
const flag = createRoute({
  getParentRoute: () => project,
  path: '/flags/$flag',
  params: {
    parse: ({ flag }) => ({ flag: nameFromAddress(flag) }),
    stringify: ({ flag }) => ({ flag: nameInAddress(flag) }),
  },
  component: lazyRouteComponent(() => import('./shell/FlagLayout.tsx'), 'FlagLayout'),
});
const inFlag = { getParentRoute: () => flag, validateSearch: textSearch };
const inEnvironment = {
  ...inFlag,
  params: {
    parse: ({ environment }: { environment: string }) => ({ environment: nameFromAddress(environment) }),
    stringify: ({ environment }: { environment: string }) => ({ environment: nameInAddress(environment) }),
  },
};

const flagHome = createRoute({
  ...inFlag,
  path: '/',
  component: lazyRouteComponent(() => import('./shell/FlagLayout.tsx'), 'FlagHomePage'),
});
const definition = createRoute({
  ...inEnvironment,
  path: '/$environment',
  component: lazyRouteComponent(() => import('./features/definitions/page/FlagPage.tsx'), 'FlagPage'),
});
const definitionJson = createRoute({
  ...inEnvironment,
  path: '/$environment/json',
  component: lazyRouteComponent(() => import('./features/definitions/json/JsonPage.tsx'), 'JsonPage'),
});
const compare = createRoute({
  ...inFlag,
  path: '/compare',
  component: lazyRouteComponent(() => import('./features/definitions/compare/ComparePage.tsx'), 'ComparePage'),
});
const flagActivity = createRoute({
  ...inFlag,
  path: '/activity',
  component: lazyRouteComponent(() => import('./features/changes/FlagActivityPage.tsx'), 'FlagActivityPage'),
});
const details = createRoute({
  ...inFlag,
  path: '/details',
  component: lazyRouteComponent(() => import('./features/flags/FlagDetailsPage.tsx'), 'FlagDetailsPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    setup,
    signIn,
    forgot,
    reset,
    invitation,
    shell.addChildren([
      home,
      welcome,
      me,
      users,
      user,
      groups,
      group,
      apiKeys,
      accountActivity,
      serverSettings,
      imports,
      project.addChildren([
        projectHome,
        flags.addChildren([newFlag]),
        archivedFlags,
        cleanup,
        segments,
        segment,
        segmentInEnvironment,
        changesets,
        changeset,
        drift,
        sdks,
        environmentSdks,
        environmentEvents,
        projectActivity,
        environments,
        projectSettings,
        projectAccess,
        projectFlagSets,
        projectAttributes,
        flag.addChildren([flagHome, definition, definitionJson, compare, flagActivity, details]),
      ]),
    ]),
  ]),
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: BrokenPage,
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
