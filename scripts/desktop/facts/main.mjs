/**
 * The app that facts.mjs packs and starts in Electron: tries what the desktop app needs, prints it as one line of JSON,
 * and quits.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import zlib from 'node:zlib';
import { app, nativeImage, Tray } from 'electron';

const { TOOLTRAY_FACTS_HOME: home, TOOLTRAY_FACTS_STARTED: started, TOOLTRAY_FACTS_KEYRING: keyring } = process.env;
/** Out of the archive, as those of the desktop app: a process of Node.js cannot be forked from within it. */
const child = fileURLToPath(new URL('child.mjs', import.meta.url)).replace('.asar', '.asar.unpacked');

app.setPath('userData', join(home, 'data'));
// No top-level await: Electron becomes ready only after this module has been evaluated.
void app.whenReady().then(run);

async function run() {
  const facts = {};
  /** Notes what `attempt` returns, or why it failed. */
  const fact = async (name, attempt) => {
    try {
      facts[name] = { ok: true, detail: String(await attempt()) };
    } catch (error) {
      facts[name] = { ok: false, detail: String(error) };
    }
  };
  let tray;
  await fact('time to tray (ms)', () => {
    tray = new Tray(nativeImage.createEmpty());
    return Date.now() - Number(started);
  });
  await fact('memory of the main process (MB)', () => Math.round(process.memoryUsage().rss / 1e6));
  await fact('SQLite with FTS5', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE VIRTUAL TABLE words USING fts5(text)');
    database.prepare('INSERT INTO words VALUES (?)').run('a needle in a haystack');
    return database.prepare("SELECT count(*) AS n FROM words WHERE words MATCH 'needle'").get().n;
  });
  await fact('zstd', () => zlib.zstdDecompressSync(zlib.zstdCompressSync(Buffer.from('zstd'))).toString());
  await fact('the app is in an archive', () => {
    if (!import.meta.url.includes('.asar/')) throw new Error(import.meta.url);
    return true;
  });
  await fact('a worker thread from the archive', async () => {
    const worker = new Worker(new URL('worker.mjs', import.meta.url));
    const [message] = await once(worker, 'message');
    await worker.terminate();
    return message;
  });
  await fact('a child process from beside the archive', () => ask([]));
  await fact('a child process with --permission', () => ask(['--permission', `--allow-fs-read=${child}`]));
  await fact('certificates of the system', () => {
    const { length } = tls.getCACertificates('system');
    if (length === 0) throw new Error('none');
    return length;
  });
  await fact('a secret through the keychain', () => {
    const { Entry } = createRequire(import.meta.url)(keyring);
    const entry = new Entry('Tooltray facts', 'facts', { linux: { store: 'secret-service' } });
    entry.setPassword('stored');
    const found = entry.getPassword();
    entry.deletePassword();
    if (found !== 'stored') throw new Error(`found ${found}`);
    return found;
  });
  tray?.destroy();
  process.stdout.write(`facts ${JSON.stringify(facts)}\n`, () => app.exit(0));
}

/** What a process of Node.js with these options sends; rejects if it ends without a message. */
async function ask(execArgv) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const forked = fork(child, { env: { ...env, ELECTRON_RUN_AS_NODE: '1' }, execArgv });
  const exit = once(forked, 'exit').then(([code]) => Promise.reject(new Error(`exit ${code}`)));
  exit.catch(() => undefined);
  const [message] = await Promise.race([once(forked, 'message'), exit]);
  return message;
}
