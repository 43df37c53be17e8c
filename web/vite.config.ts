import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = 'http://127.0.0.1:8080';

/**
 * Few chunks instead of one per component: shared code in layers that import each other in one direction only, and the
 * account pages. Every other page is its own chunk.
 */
const groups = [
  { name: 'vendor', test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\// },
  // Validation loads with the pages that read JSON; evaluation and comparison with the flag pages.
  {
    name: 'checks',
    test: /\/typebox\/build\/(schema|value|format)\/|\/web\/interpret|\/domain\/(shapes|definitions\/parse)\./,
  },
  { name: 'evaluation', test: /\/domain\/evaluation\/(?!bucketing)/ },
  { name: 'patches', test: /\/domain\/definitions\/patch/ },
  { name: 'differences', test: /\/domain\/definitions\/(diff|list-steps|moved-shares|same-items)/ },
  // Editing and merging definitions load with the flag pages, too. Shares are small, and most pages show them.
  {
    name: 'contract',
    test: /\/src\/(contract|domain)\/(?!rollout(s|-shares)\.|(attributes|identities)\.|definitions\/(?!conditions|definition|matchers|shares|summary))|\/typebox\//,
  },
  {
    name: 'ui',
    test: /\/web\/src\/((ui|kit)\/(?!JsonDiff|SuggestInput|flag-sets|rollout-status-words|Username|Dependents|Version|FlagCrumbs|save-file)|(server|state)\/|administration\/whole-lists)|\/lucide-react\//,
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

/** Removes descriptions from schemas and endpoints. Only the server's API documents use them. */
const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  enforce: 'pre',
  transform: {
    // Status descriptions are data, not schema descriptions.
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
        // Schemas are built on module load; this drops those that no page uses. Without
        // these lines contract and domain weigh ten times as much. A spread counts as a reading of unknown effect, hence
        // `extend`; to declare all readings harmless would take checks out of React.
        manualPureFunctions: ['shapeOf', 'endpoint', 'Type', 'OneOf', 'NullableArray', 'extend'],
        moduleSideEffects: (id) => !/\/src\/(domain|contract)\/|\/typebox\/|\/web\/interpret\.ts$/.test(id),
      },
    },
  },
});
