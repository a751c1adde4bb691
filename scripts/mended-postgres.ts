/**
 * Patches for the PostgreSQL client (postgres.js), applied when it is bundled and in tests. As released, a connection
 * lost during a transaction affects others: what the transaction still sends (its ROLLBACK) throws from a timer, or is
 * sent on the replacement connection, whose responses are then assigned to the wrong queries; and a connection lost
 * with unsent data never sends again. Reported upstream: porsager/postgres#1154, #1208. If a server refuses or closes
 * connections after one was lost, later queries are never answered, and the pool does not end (#1097, #1193). With
 * several hosts none is ever given up. And a query to a server that hangs, or over a network that drops packets, waits
 * forever: with a statement timeout, responses have a timeout, too.
 */
import type { Plugin } from 'vite';

interface Mend {
  readonly from: string;
  readonly to: string;
  readonly times: number;
}

/** By suffix of the file's path. */
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
    // The server cancels a statement at its timeout and reports it; each attempt may take a third of that. Passed on
    // repeatedly, because `setTimeout` only knows the first value, and that is the idle timeout.
    {
      from: '      keep_alive && socket.setKeepAlive && socket.setKeepAlive(true, 1000 * keep_alive)\n',
      to: `      keep_alive && socket.setKeepAlive && socket.setKeepAlive(true, 1000 * keep_alive)
      const statementMs = Number(options.connection.statement_timeout || 0)
      statementMs && socket.setTimeout && socket.setTimeout(statementMs * 4 / 3).on('timeout', function() {
        (query || sent.length) && this.destroy()
      })\n`,
      times: 1,
    },
    // A connection lost meanwhile is retried by its caller.
    {
      from: '        return fetchArrayTypes()\n',
      to: '        return fetchArrayTypes().catch(() => undefined)\n',
      times: 1,
    },
    // A connection closed without a message before its first query is unavailable: it was retried immediately and
    // forever. With several hosts, each is tried once; they were tried forever, since failures were not counted.
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
    // A host that does not respond is followed by the next.
    {
      from: "    errored(Errors.connection('CONNECT_TIMEOUT', options, socket))\n",
      to: "    error(Errors.connection('CONNECT_TIMEOUT', options, socket))\n",
      times: 1,
    },
    // A query lost with one connection is not in progress on the next: there, the server's refusal was assigned to that
    // query.
    {
      from: '    closedTime = performance.now()\n',
      to: '    query = results = errorResponse = null\n    retries = 0\n    closedTime = performance.now()\n',
      times: 1,
    },
    // Callers that wait for its end are notified, unless it is reopened for earlier queries.
    {
      from: "    onclose(connection, Errors.connection('CONNECTION_CLOSED', options, socket))\n",
      to: `    onclose(connection, Errors.connection('CONNECTION_CLOSED', options, socket))
    ended && connection.queue !== queues.connecting && (ended(), ending = ended = null)\n`,
      times: 1,
    },
    // On both ends of a connection.
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
    // Also if its socket has failed and is not closed yet.
    {
      from: '        q.catch(e => uncaughtError || (uncaughtError = e))\n',
      to: `        q.catch(e => {
          (e.syscall || /^CONNECTION_/.test(e.code)) && (gone = gone || e)
          uncaughtError || (uncaughtError = e)
        })\n`,
      times: 1,
    },
    // A transaction ends with its connection: nothing of it is sent on another one.
    {
      from: '        c.queue === full\n          ? queries.push(q)\n',
      to: '        gone\n          ? q.reject(gone)\n          : c.queue === full\n          ? queries.push(q)\n',
      times: 1,
    },
  ],
};

/** The patched files of the package. */
export const mendedFiles = /[/\\]postgres[/\\]src[/\\](connection|index)\.js$/;

/** Returns the patched text of such a file. Throws for another release, which may contain the fix. */
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
