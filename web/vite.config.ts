import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = 'http://127.0.0.1:8080';

/**
 * Few files instead of one for each component: what all pages need, in layers that import each other in one direction
 * only, and the pages of accounts. Every other page is a file of its own.
 */
const groups = [
  { name: 'vendor', test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\// },
  // What checks values comes with the pages that read JSON; what evaluates and compares definitions with those of a flag.
  {
    name: 'checks',
    test: /\/typebox\/build\/(schema|value|format)\/|\/web\/interpret|\/domain\/(shapes|definitions\/parse)\./,
  },
  { name: 'evaluation', test: /\/domain\/evaluation\/(?!bucketing)/ },
  { name: 'patches', test: /\/domain\/definitions\/patch/ },
  { name: 'differences', test: /\/domain\/definitions\/(diff|list-steps|moved-shares|same-items)/ },
  // What edits and merges definitions comes with the pages of a flag, too.
  {
    name: 'contract',
    test: /\/src\/(contract|domain)\/(?!rollout(s|-shares)\.|definitions\/(?!definition|matchers|summary))|\/typebox\//,
  },
  {
    name: 'ui',
    test: /\/web\/src\/((ui|kit)\/(?!JsonDiff|CodeBlock|Username|Dependents|Version|FlagCrumbs|save-file)|(server|state)\/|administration\/whole-lists)|\/lucide-react\//,
  },
  { name: 'administration', test: /\/web\/src\/administration\// },
  { name: 'accounts', test: /\/web\/src\/features\/accounts\/(?!SignedIn\.|SetupLinkHelp)/ },
  {
    name: 'shell',
    test: /\/web\/src\/(shell\/(?!DeletedFlag|NoSuchFlag)|features\/accounts\/(SignedIn|SetupLinkHelp)\.)/,
  },
];

const literal = "'(?:[^'\\\\\\n]|\\\\.)+'";
const described = new RegExp(`\\b(?:description|summary):\\s*${literal}(?:\\s*\\+\\s*${literal})*,?`, 'g');

/** What schemas and endpoints say of themselves is for the API's documents, which the server makes: no page shows it. */
const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  enforce: 'pre',
  transform: {
    // The descriptions of statuses are not about schemas, but data.
    filter: { id: /\/src\/(contract|domain)\/(?!rollout-statuses)/ },
    handler: (code) => ({ code: code.replaceAll(described, ''), map: null }),
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [withoutDescriptions, react()],
  resolve: { alias: { 'typebox/compile': fileURLToPath(new URL('interpret.ts', import.meta.url)) } },
  server: { proxy: { '/internal': server, '/docs': server, '/openapi.json': server } },
  build: {
    target: 'es2022',
    // The Content-Security-Policy allows no fonts and no scripts from data: URLs.
    assetsInlineLimit: 0,
    // Read by scripts/size.mjs.
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: { includeDependenciesRecursively: false, groups } },
      treeshake: {
        // Schemas are built when their module is loaded; of those that no page uses nothing shall remain. Without
        // these lines contract and domain weigh ten times as much. A spread counts as a reading of unknown effect, hence
        // `extend`; to declare all readings harmless would take checks out of React.
        manualPureFunctions: ['shapeOf', 'endpoint', 'Type', 'OneOf', 'NullableArray', 'extend'],
        moduleSideEffects: (id) => !/\/src\/(domain|contract)\/|\/typebox\/|\/web\/interpret\.ts$/.test(id),
      },
    },
  },
});
