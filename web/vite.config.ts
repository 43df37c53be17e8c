import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = 'http://127.0.0.1:8080';

/**
 * Few chunks instead of one per component, because each is a request: layers that import each other in one direction
 * only. Everyone loads `vendor`, which seldom changes, and `app`. The first group that matches a module takes it. What
 * none takes belongs to one page or to parts of it, and is a chunk with it.
 */
const groups = [
  {
    name: 'vendor',
    test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?!react-virtual|virtual-core)[a-z-]+)\//,
  },
  // Validation loads with the pages that read JSON.
  {
    name: 'checks',
    test: /\/typebox\/build\/(schema|value|format)\/|\/web\/interpret|\/domain\/(shapes|definitions\/parse)\./,
  },
  { name: 'effects', test: /\/web\/src\/targeting\/(EffectView|FlowPicture|CallView|curl)/ },
  { name: 'patches', test: /\/domain\/definitions\/(patch|merge|rebase|apply|copy-parts|missing)/ },
  {
    name: 'rule-editor',
    test: /\/ui\/SuggestInput|\/web\/src\/targeting\/(ConditionEditor|DateField|FlagSubject|RegexTester|MatcherEditor|MatcherValue|DependencyValue|Segment(Value|Marks|sField|sElsewhere)|TokensInput|IntegerInput|KeysField|use-segment-options|use-make-segment)/,
  },
  {
    name: 'targeting',
    test: /\/domain\/evaluation\/(?!bucketing)|\/domain\/definitions\/(?!conditions|definition|matchers|shares|summary)|\/web\/src\/targeting\/(?!ConflictPanel|Difference|KeyChanges|Relations|WholeDefinition)|\/features\/definitions\/editing\/|\/web\/src\/changesets\/use-proposing/,
  },
  {
    name: 'flag',
    test: /\/web\/src\/(shell\/FlagLayout|features\/definitions\/(try-it\/[a-z]|(page|ladder)\/(?!Rail\.|RolloutPanel|rollout-line|ActivityRail|DefinitionDialogs|DuplicateDialog|FlagDialogs|FlagSetsCard|NotDefined|RuleEditor|TargetsEditor)))/,
  },
  // A flag page loads these when it is idle.
  {
    name: 'flag-parts',
    test: /\/web\/src\/features\/definitions\/(treatments|try-it\/[A-Z]|(page|ladder)\/(?!DefinitionDialogs|DuplicateDialog|FlagDialogs))/,
  },
  // Loads with the dialogs that propose changes, and with the pages of changesets. In one chunk: they name each other's
  // schemas, and of two chunks that import each other one would find the other's empty.
  {
    name: 'changesets',
    test: /\/src\/(contract|domain)\/(change-requests|changesets|changeset-plans|approvals|schedules|calendar)\.|\/web\/src\/changesets\/changesets-query/,
  },
  // What the flag list shares with parts of it that load later, and with activity.
  {
    name: 'flags',
    test: /\/web\/src\/(administration\/owner-names|features\/flags\/(columns|each-flag|FlagTable\.module))\./,
  },
  // What the dialogs of a flag share.
  { name: 'differences', test: /\/web\/src\/targeting\/(Difference|KeyChanges)/ },
  { name: 'saving', test: /\/features\/definitions\/review\/(save|use-effect-of|EffectLine)\./ },
  // What is scheduled and proposed for a flag, above its rules and in its timeline.
  {
    name: 'schedules',
    test: /\/web\/src\/changesets\/(schedule-words|use-coming|ScheduledBand|ProposedBand|ProposeChange)/,
  },
  {
    name: 'app',
    test: /\/src\/(contract|domain)\/(?!(traffic|imports|server|default-rollout-statuses)\.|wire\/)|\/typebox\/|\/lucide-react\/|\/web\/src\/((ui|kit)\/(?!JsonDiff|SuggestInput|rollout-status-words|Username|RestoreDe|CodeReferences|drift-kinds|flag-names|Dependents|Version|FlagFilter)|(server|state)\/(?!send-file)|administration\/(whole-lists|count|focus-when-lost)|shell\/(?!DeletedFlag|NoSuch|FlagLayout)|features\/accounts\/(SignedIn|SetupLinkHelp)\.)/,
  },
  { name: 'traffic', test: /\/src\/(contract|domain)\/traffic\.|\/timeline\/use-traffic|\/sdks\/connected\./ },
  { name: 'shared', test: /\/web\/src\/(administration|kit)\/|\/domain\/default-rollout-statuses/ },
  { name: 'activity', test: /\/web\/src\/activity\/(?!ChangeDetails)/ },
  { name: 'accounts', test: /\/web\/src\/features\/accounts\// },
];

const literal = "'(?:[^'\\\\\\n]|\\\\.)+'";
const described = new RegExp(`\\b(?:description|summary):\\s*${literal}(?:\\s*\\+\\s*${literal})*,?`, 'g');

/** Removes descriptions from schemas and endpoints. Only the server's API documents use them. */
const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  enforce: 'pre',
  transform: {
    // Status descriptions are data, not schema descriptions.
    filter: { id: /\/src\/(contract|domain)\/(?!default-rollout-statuses)/ },
    handler: (code) => ({ code: code.replaceAll(described, ''), map: null }),
  },
};

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 5);

export default defineConfig({
  root: import.meta.dirname,
  plugins: [withoutDescriptions, react()],
  resolve: { alias: { 'typebox/compile': fileURLToPath(new URL('interpret.ts', import.meta.url)) } },
  server: { proxy: { '/internal': server, '/docs': server, '/openapi.json': server } },
  // Vite's own names end with a line number: 1.8 kB more.
  css: {
    modules: { generateScopedName: (name, file) => `_${name}_${shortHash(relative(import.meta.dirname, file))}` },
  },
  build: {
    target: 'es2022',
    // All styles are 22 kB in one file, and 39 kB in one for each part.
    cssCodeSplit: false,
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
        // `extend`; declaring all reads harmless would remove checks from React.
        manualPureFunctions: ['shapeOf', 'endpoint', 'Type', 'OneOf', 'NullableArray', 'extend'],
        moduleSideEffects: (id) => !/\/src\/(domain|contract)\/|\/typebox\/|\/web\/interpret\.ts$/.test(id),
      },
    },
  },
});
