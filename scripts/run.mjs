// Runs Burgee's own Node (24) with the given arguments, after installing what is missing.
import { spawn } from 'node:child_process';
import { compileCache, node } from './install.mjs';

// The child shares our terminal, and its exit code is ours.
const child = spawn(node, process.argv.slice(2), {
  stdio: 'inherit',
  env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
});
// Forwards signals. A terminal sends Ctrl-C to both processes; the second one has no effect.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`Could not run ${node}: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
