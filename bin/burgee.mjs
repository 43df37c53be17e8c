#!/usr/bin/env node
// Burgee, from its sources. Plain JavaScript, so that an older Node at least says why it cannot.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Burgee needs Node 24 or newer; this is ${process.version}. In a checkout use: npm run burgee -- <command>\n`,
  );
  process.exit(1);
}
await import('../src/main.ts');
