/**
 * The app that facts.mjs starts in Electron: tries what the desktop app needs, prints it as one line of JSON, and
 * quits.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import zlib from 'node:zlib';
import { app, nativeImage, safeStorage, Tray } from 'electron';

const home = process.env.TOOLTRAY_FACTS_HOME;
app.setPath('userData', join(home, 'data'));

const facts = {};

/** Notes what `attempt` returns, or why it failed. */
async function fact(name, attempt) {
  try {
    facts[name] = { ok: true, detail: String(await attempt()) };
  } catch (error) {
    facts[name] = { ok: false, detail: String(error) };
  }
}

await app.whenReady();
let tray;
await fact('time to tray (ms)', () => {
  tray = new Tray(nativeImage.createEmpty());
  return Date.now() - Number(process.env.TOOLTRAY_FACTS_STARTED);
});
await fact('memory of the main process (MB)', () => Math.round(process.memoryUsage().rss / 1e6));
await fact('SQLite with FTS5', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE VIRTUAL TABLE words USING fts5(text)');
  database.prepare('INSERT INTO words VALUES (?)').run('a needle in a haystack');
  return database.prepare("SELECT count(*) AS n FROM words WHERE words MATCH 'needle'").get().n;
});
await fact('zstd', () => zlib.zstdDecompressSync(zlib.zstdCompressSync(Buffer.from('zstd'))).toString());
await fact('a worker thread', async () => {
  const worker = new Worker('require("node:worker_threads").parentPort.postMessage("up")', { eval: true });
  const [answer] = await once(worker, 'message');
  await worker.terminate();
  return answer;
});
await fact('a child process of Node', async () => {
  const file = join(home, 'child.cjs');
  writeFileSync(file, 'process.send("up"); process.disconnect();');
  const child = fork(file, { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
  const [answer] = await once(child, 'message');
  return answer;
});
await fact('a child process with --permission', async () => {
  const file = join(home, 'child.cjs');
  const child = fork(file, {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    execArgv: ['--permission', `--allow-fs-read=${join(home, '*')}`],
  });
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit').then(([code]) => [`exit ${code}`])]);
  if (answer !== 'up') throw new Error(answer);
  return answer;
});
await fact('certificates of the system', () => {
  const { length } = tls.getCACertificates('system');
  if (length === 0) throw new Error('none');
  return length;
});
await fact('a secret through the keychain', () => {
  if (!safeStorage.isEncryptionAvailable()) throw new Error('not available');
  return safeStorage.decryptString(safeStorage.encryptString('kept')) === 'kept';
});
tray?.destroy();
process.stdout.write(`facts ${JSON.stringify(facts)}\n`, () => app.exit(0));
