import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const server = 'http://127.0.0.1:8080';

/** Few files instead of one for each component: what all pages need, and one for the pages of each feature. */
const groups = [
  { name: 'vendor', test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\// },
  { name: 'ui', test: /\/web\/src\/(ui\/|[\w-]+\.ts$)|\/lucide-react\// },
  { name: 'accounts', test: /\/web\/src\/features\/accounts\// },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  server: { proxy: { '/internal': server, '/docs': server, '/openapi.json': server } },
  build: {
    target: 'es2022',
    // The Content-Security-Policy allows no fonts and no scripts from data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: { includeDependenciesRecursively: false, groups } },
      treeshake: {
        // Schemas are built when their module is loaded; of those that no page uses nothing shall remain. With both
        // lines contract and domain weigh 5 kB, without them 43 kB, and they would try to compile code in the browser.
        manualPureFunctions: ['shapeOf', 'endpoint', 'Type', 'OneOf', 'NullableArray'],
        moduleSideEffects: (id) => !/\/src\/(domain|contract)\/|\/typebox\//.test(id),
      },
    },
  },
});
