import { defineConfig } from 'vite';

/** The shop of `burgee demo`: one page, one script, nothing that the interface loads. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { entryFileNames: 'shop.js' } },
  },
});
