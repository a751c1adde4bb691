/**
 * The client of PostgreSQL (postgres.js), fixed as it is bundled, and in tests. As released, a connection that goes
 * while a transaction is on its way brings down others: what the transaction still sends (its ROLLBACK) throws from a
 * timer, past everybody who could catch it, or goes out on the connection that took the place of the lost one, whose
 * next answers then go to the wrong queries; and a connection that went with something unsent never sends again. Told
 * upstream: porsager/postgres#1154, #1208. Where a server refuses or closes connections after one was lost, what is
 * asked then is never answered, and the pool does not end (#1097, #1193). Of several servers that are named none is
 * ever given up. And what is asked of a server that sleeps, or over a way whose packets are lost, is waited for without
 * an end: where statements have a limit of their own, an answer has one, too.
 */
import type { Plugin } from 'vite';

interface Mend {
  readonly from: string;
  readonly to: string;
  readonly times: number;
}

/** By the end of a file's name. */
const mends: Readonly<Record<string, readonly Mend[]>> = {
  'connection.js': [
    {
      from: '    const x = socket.write(chunk, fn)\n',
      to: `    if (socket === null) {
      nextWriteTimer !== null && clearImmediate(nextWriteTimer)
      chunk = nextWriteTimer = null
      return false
    }
    const x = socket.write(chunk, fn)\n`,
      times: 1,
    },
    // The server ends a statement by itself in that time, and says so; nobody's turn is longer than a third of it. Told
    // again and again: what is given to `setTimeout` hears of the first time alone, and that is when the connection
    // idles.
    {
      from: '      keep_alive && socket.setKeepAlive && socket.setKeepAlive(true, 1000 * keep_alive)\n',
      to: `      keep_alive && socket.setKeepAlive && socket.setKeepAlive(true, 1000 * keep_alive)
      const statementMs = Number(options.connection.statement_timeout || 0)
      statementMs && socket.setTimeout && socket.setTimeout(statementMs * 4 / 3).on('timeout', function() {
        (query || sent.length) && this.destroy()
      })\n`,
      times: 1,
    },
    // A connection that goes meanwhile is tried again by who waits for it.
    {
      from: '        return fetchArrayTypes()\n',
      to: '        return fetchArrayTypes().catch(() => undefined)\n',
      times: 1,
    },
    // A connection that is closed without a word before its first query is one that cannot be had: it was tried again
    // at once, without an end. Where several servers are named, each is tried once; they were tried in turns without an
    // end, since none was counted.
    {
      from: `    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(`,
      to: `    if (initial && options.host[++retries])
      return reconnect()

    !hadError && (query || sent.length || initial) && error(`,
      times: 1,
    },
    {
      from: "xs.in_hot_standby === 'off' && options.host[retries])",
      to: "xs.in_hot_standby === 'off' && options.host[retries + 1])",
      times: 1,
    },
    // One that answers nothing is followed by the next.
    {
      from: "    errored(Errors.connection('CONNECT_TIMEOUT', options, socket))\n",
      to: "    error(Errors.connection('CONNECT_TIMEOUT', options, socket))\n",
      times: 1,
    },
    // What was lost with one connection is not in progress on the next: there, the server's refusal was taken for that
    // query's.
    {
      from: '    closedTime = performance.now()\n',
      to: '    query = results = errorResponse = null\n    retries = 0\n    closedTime = performance.now()\n',
      times: 1,
    },
    // Whoever waits for its end is told, unless it is opened once more for what was asked before.
    {
      from: "    onclose(connection, Errors.connection('CONNECTION_CLOSED', options, socket))\n",
      to: `    onclose(connection, Errors.connection('CONNECTION_CLOSED', options, socket))
    ended && connection.queue !== queues.connecting && (ended(), ending = ended = null)\n`,
      times: 1,
    },
    // At both ends of a connection.
    {
      from: '    clearImmediate(nextWriteTimer)\n',
      to: '    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n',
      times: 2,
    },
  ],
  'index.js': [
    {
      from: '    let savepoints = 0\n      , connection\n',
      to: '    let savepoints = 0\n      , gone = null\n      , connection\n',
      times: 1,
    },
    {
      from: 'new Promise((_, reject) => connection.onclose = reject)',
      to: `new Promise((_, reject) => connection.onclose = (e) => {
          gone = e
          while (queries.length) queries.shift().reject(e)
          reject(e)
        })`,
      times: 1,
    },
    // Also where its socket has failed and is not closed yet.
    {
      from: '        q.catch(e => uncaughtError || (uncaughtError = e))\n',
      to: `        q.catch(e => {
          (e.syscall || /^CONNECTION_/.test(e.code)) && (gone = gone || e)
          uncaughtError || (uncaughtError = e)
        })\n`,
      times: 1,
    },
    // A transaction ends with its connection: nothing of it goes out on another one.
    {
      from: '        c.queue === full\n          ? queries.push(q)\n',
      to: '        gone\n          ? q.reject(gone)\n          : c.queue === full\n          ? queries.push(q)\n',
      times: 1,
    },
  ],
};

/** The files of the package that are fixed. */
export const mendedFiles = /[/\\]postgres[/\\]src[/\\](connection|index)\.js$/;

/** The text of such a file, fixed. Throws where it is another release: look whether it is fixed there. */
export function mend(code: string, id: string): string {
  const [, wanted = []] = Object.entries(mends).find(([name]) => id.endsWith(name)) ?? [];
  return wanted.reduce((mended, { from, to, times }) => {
    const parts = mended.split(from);
    if (parts.length !== times + 1) throw new Error('postgres.js is another one: see scripts/mended-postgres.ts.');
    return parts.join(to);
  }, code);
}

export const mendedPostgres: Plugin = {
  name: 'mended-postgres',
  enforce: 'pre',
  transform: {
    filter: { id: mendedFiles },
    handler: (code, id) => ({ code: mend(code, id), map: null }),
  },
};
