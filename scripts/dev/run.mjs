/**
 * `npm run dev`: a core from the sources, started again when a file of src-main changes, and the page from Vite, which
 * follows src-renderer by itself. It has a home of its own, so yours is left alone; TOOLTRAY_HOME names another. Words
 * behind `--` go to `serve`, `--inspect` and its kin to Node.js.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createSocket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import { createServer } from 'vite';
import { findNode } from '../setup/node-versions.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = process.env.TOOLTRAY_HOME ?? join(root, 'node_modules/.cache/dev-home');
const given = process.argv.slice(2);
const forNode = given.filter((word) => word.startsWith('--inspect'));
const forServe = given.filter((word) => !forNode.includes(word));
/** Editors write a file in several steps, and many files at once. */
const quietMs = 150;

// The page keeps talking to the core that comes after: same port, same key.
const port = await freePort();
const address = `http://127.0.0.1:${port}`;
const page = await servePage();

let core = startCore();
let restarting;
const watcher = watch(join(root, 'src-main'), { ignoreInitial: true });
watcher.on('all', (_, path) => {
  clearTimeout(restarting);
  restarting = setTimeout(() => void restart(path), quietMs);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void end());

async function restart(path) {
  console.log(`\n${path.slice(root.length)} changed: the core starts again.`);
  core = core.then(stop).then(startCore);
  await core;
}

async function startCore() {
  const words = ['serve', '--persistent-link', '--port', String(port), ...forServe];
  const child = spawn(findNode(root), [...forNode, join(root, 'src-main/cli.ts'), ...words], {
    cwd: root,
    env: { ...process.env, TOOLTRAY_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout
    .setEncoding('utf8')
    .on('data', (text) => process.stdout.write(text.replaceAll(`${address}/#`, `${page}#`)));
  child.once('exit', (code) => {
    if (code) console.log(`The core ended with code ${code}; it starts again with the next change.`);
  });
  return child;
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Vite's page asks the core through Vite: to the core it looks like its own page. */
async function servePage() {
  const proxy = { '/rpc': { target: address, changeOrigin: true, headers: { origin: address } } };
  const vite = await createServer({
    configFile: join(root, 'vite.config.ts'),
    server: { host: '127.0.0.1', proxy, fs: { allow: [root] } },
  });
  await vite.listen();
  return vite.resolvedUrls.local[0];
}

async function end() {
  await stop(await core);
  process.exit();
}

async function freePort() {
  const socket = createSocket().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}
