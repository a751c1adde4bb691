/** `tooltray spill`: lists and reads spilled results. */
import { formatBytes, formatCount } from '../../core/base/text-format.ts';
import type { CoreAccess, SpillRow } from '../../rpc/contract.ts';
import { type Action, command, commonFlags } from '../command.ts';
import { warnOfStores, withCore } from '../core-access.ts';
import { oneLine, paint, plainText, printResult, printJson, printLines, table } from '../terminal.ts';

interface SpillRequest {
  readonly core: CoreAccess;
  readonly json: boolean;
  readonly lines: number;
}

type Act = (request: SpillRequest, id: string, what: string) => Promise<void>;

const actions = {
  list: { help: 'List spills (default)', act: list },
  show: { words: 'ID', help: 'Show details and the first lines', act: show },
  head: { words: 'ID', help: 'Print the first lines', act: head },
  grep: { words: 'ID PATTERN', help: 'Print lines matching a regular expression', act: grep },
  query: { words: 'ID JSONPATH', help: 'Run a JSONPath query, e.g. $.items[*].name', act: query },
  pin: { words: 'ID', help: 'Exclude from expiry', act: pinning(true) },
  unpin: { words: 'ID', help: 'Include in expiry again', act: pinning(false) },
  delete: { words: 'ID', help: 'Delete a spill', act: remove },
  prune: { help: 'Delete expired spills and enforce the disk limit', act: prune },
} as const satisfies Readonly<Record<string, Action & { readonly act: Act }>>;

export const spill = command({
  actions,
  usual: 'list',
  flags: { lines: { value: 'N', from: 1, to: 2000, usual: 20, help: 'Number of lines' }, ...commonFlags },
  async run({ config, json, lines }, [id = '', what = ''], action) {
    await withCore(config, (core) => actions[action].act({ core, json, lines }, id, what));
    return 0;
  },
});

async function list({ core, json }: SpillRequest): Promise<void> {
  const spills = await allSpills(core);
  await warnOfStores(core, 'spills');
  printResult(json, { spills }, () =>
    spills.length === 0
      ? ['No spills.']
      : table(['ID', 'CREATED', 'TOOL', 'KIND', 'SIZE', 'TOKENS', 'FILE', 'READS', ''], spills.map(row)),
  );
}

/** Reads all pages. */
async function allSpills(core: CoreAccess): Promise<readonly SpillRow[]> {
  const found: SpillRow[] = [];
  for (;;) {
    const last = found.at(-1)?.id;
    const { spills } = await core.ask('spills', { limit: 1000, ...(last !== undefined && { beforeId: last }) });
    found.push(...spills);
    if (spills.length === 0) return found;
  }
}

/** SENT and TOKENS refer to the server's full result, FILE to the stored part. */
function row({ id, at, server, tool, kind, sentBytes, sentTokens, bytes, reads, pinned }: SpillRow): string[] {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  const name = oneLine(`${server}:${tool}`);
  const sent = [sentBytes === undefined ? '' : formatBytes(sentBytes), String(sentTokens ?? '')];
  return [id, when, name, kind, ...sent, formatBytes(bytes), formatCount(reads, 'time'), pinned ? 'pinned' : ''];
}

/** Prints a spill's metadata and its first lines. */
async function show(request: SpillRequest, id: string): Promise<void> {
  const { core, json } = request;
  const found = (await allSpills(core)).find((spill) => spill.id === id);
  const use = await core.ask('spillUse', { id });
  if (json) return printJson({ ...found, ...use });
  if (found !== undefined) {
    printLines([`${oneLine(found.server)}:${oneLine(found.tool)} for ${oneLine(found.app)}`, found.path]);
    printLines([sizes(found)]);
    if (found.lines === undefined) return;
  }
  await head(request, id);
}

function sizes({ mimeType, sentBytes, sentTokens, sentEstimated, bytes }: SpillRow): string {
  const tokens =
    sentTokens === undefined ? '' : `, ${sentEstimated ? 'about ' : ''}${formatCount(sentTokens, 'token')}`;
  const sent = sentBytes === undefined ? '' : `the server sent ${formatBytes(sentBytes)}${tokens}; `;
  return `${mimeType}: ${sent}file of ${formatBytes(bytes)}`;
}

async function head({ core, json, lines }: SpillRequest, id: string): Promise<void> {
  const found = await core.ask('spillLines', { id, fromLine: 1, count: lines });
  const rest = found.totalLines - found.lines.length;
  printResult(json, found, () => [
    ...found.lines.map((line) => plainText(line)),
    ...(rest > 0 ? [paint('quiet', `${formatCount(rest, 'more line')}; --lines N shows more at once`)] : []),
  ]);
}

async function grep({ core, json }: SpillRequest, id: string, pattern: string): Promise<void> {
  const found = await core.ask('spillFind', { id, pattern });
  const rest = found.total - found.matches.length;
  printResult(json, found, () => [
    ...found.matches.map(({ line, text }) => `${line}: ${plainText(text)}`),
    ...(rest > 0 ? [paint('quiet', `${formatCount(rest, 'more matching line')}`)] : []),
    ...(found.total === 0 ? ['No matches.'] : []),
  ]);
}

async function query({ core, json }: SpillRequest, id: string, path: string): Promise<void> {
  const found = await core.ask('spillQuery', { id, query: path });
  const cut = found.truncated ? [paint('quiet', 'Output truncated. Narrow the query.')] : [];
  printResult(json, found, () => [plainText(found.text), ...cut]);
}

function pinning(pinned: boolean): Act {
  return async ({ core, json }, id) => {
    await core.ask('pinSpill', { id, pinned });
    printResult(json, { id, pinned }, () => [pinned ? `${id} pinned.` : `${id} unpinned.`]);
  };
}

async function remove({ core, json }: SpillRequest, id: string): Promise<void> {
  await core.ask('deleteSpill', { id, now: true });
  printResult(json, { id, deleted: true }, () => [`${id} deleted.`]);
}

async function prune({ core, json }: SpillRequest): Promise<void> {
  const done = await core.ask('pruneSpills', {});
  printResult(json, done, () => [`${formatCount(done.removed, 'spill')} deleted, ${formatBytes(done.bytes)} freed.`]);
}
