/** `tooltray spills`: the answers kept on disk, and what is in them. */
import type { RpcMethods, SpillRow } from '../rpc/contract.ts';
import { columns } from './columns.ts';
import { type CoreAccess, withCore } from './core-access.ts';
import { count } from './count.ts';
import { oneLine, plainText } from './plain-text.ts';
import { paint, printJson, printLines } from './print.ts';
import { commonFlags, readFlags, wrongUse } from './read-flags.ts';
import { bytesInWords } from './sizes.ts';

interface Asked {
  readonly core: CoreAccess;
  readonly json: boolean;
  /** What stands behind the action. */
  readonly words: readonly string[];
  readonly lines: number;
  readonly form: string;
}

const usualLines = 20;

const actions: Readonly<Record<string, (asked: Asked) => Promise<void>>> = {
  list,
  show,
  head: (asked) => lines(asked, 1),
  grep,
  query,
  pin: (asked) => pin(asked, true),
  unpin: (asked) => pin(asked, false),
  delete: remove,
  prune,
};

export async function run(args: readonly string[], form: string): Promise<number> {
  const flags = { ...commonFlags, lines: { type: 'string' } } as const;
  const { values, positionals } = readFlags(args, flags, [0, 3], form);
  const [action = 'list', ...words] = positionals;
  const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (act === undefined) throw wrongUse(`"${action}" is not understood`, form);
  const wanted = Number(values.lines ?? usualLines);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > 2000) throw wrongUse('--lines takes 1 to 2000', form);
  await withCore(values.config, (core) => act({ core, json: values.json === true, words, lines: wanted, form }));
  return 0;
}

async function list({ core, json, words, form }: Asked): Promise<void> {
  if (words.length > 0) throw wrongUse(`${JSON.stringify(words[0])} is too much`, form);
  const spills = await allSpills(core);
  if (json) return printJson({ spills });
  if (spills.length === 0) return printLines(['No answers are kept on disk. Long ones will be.']);
  const head = ['ID', 'WHEN', 'TOOL', 'KIND', 'SIZE', 'TOKENS', 'READ', ''].map((word) => paint('head', word));
  printLines(columns([head, ...spills.map(row)]));
}

/** However many there are; they come in pages. */
async function allSpills(core: CoreAccess): Promise<readonly SpillRow[]> {
  const found: SpillRow[] = [];
  for (;;) {
    const last = found.at(-1)?.id;
    const { spills } = await core.ask('spills', { limit: 1000, ...(last !== undefined && { beforeId: last }) });
    found.push(...spills);
    if (spills.length === 0) return found;
  }
}

function row({ id, at, server, tool, kind, bytes, tokens, reads, pinned }: SpillRow): string[] {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  const name = oneLine(`${server}:${tool}`);
  return [id, when, name, kind, bytesInWords(bytes), String(tokens), count(reads, 'time'), pinned ? 'kept' : ''];
}

/** What is known of it, and its first lines. */
async function show(asked: Asked): Promise<void> {
  const { core, json } = asked;
  const id = word(asked, 0);
  const found = (await allSpills(core)).find((spill) => spill.id === id);
  const use = await core.ask('spillUse', { id });
  if (json) return printJson({ ...found, ...use });
  if (found !== undefined) {
    printLines([`${oneLine(found.server)}:${oneLine(found.tool)} for ${oneLine(found.app)}`, found.file]);
    if (found.lines === undefined) return printLines([`${found.mimeType}, ${bytesInWords(found.bytes)}`]);
  }
  await lines(asked, 1);
}

async function lines({ core, json, words, lines: wanted, form }: Asked, fromLine: number): Promise<void> {
  const id = requireWord(words, 0, form);
  const found = await core.ask('spillLines', { id, fromLine, count: wanted });
  if (json) return printJson(found);
  printLines(found.lines.map((line) => plainText(line)));
  const rest = found.totalLines - found.lines.length;
  if (rest > 0) printLines([paint('quiet', `${count(rest, 'more line')}; --lines N shows more at once`)]);
}

async function grep(asked: Asked): Promise<void> {
  const [id, pattern] = [word(asked, 0), word(asked, 1)];
  const found = await asked.core.ask('spillFind', { id, pattern });
  if (asked.json) return printJson(found);
  printLines(found.matches.map(({ line, text }) => `${line}: ${plainText(text)}`));
  const rest = found.total - found.matches.length;
  if (rest > 0) printLines([paint('quiet', `${count(rest, 'more matching line')}`)]);
  if (found.total === 0) printLines(['No line matches.']);
}

async function query(asked: Asked): Promise<void> {
  const found = await asked.core.ask('spillQuery', { id: word(asked, 0), query: word(asked, 1) });
  if (asked.json) printJson(found);
  else printLines([plainText(found.text), ...(found.truncated ? [paint('quiet', 'Cut: ask for less.')] : [])]);
}

async function pin(asked: Asked, pinned: boolean): Promise<void> {
  const id = word(asked, 0);
  await asked.core.ask('pinSpill', { id, pinned });
  if (asked.json) printJson({ id, pinned });
  else printLines([pinned ? `${id} stays until it is unpinned or deleted.` : `${id} goes when it is old.`]);
}

async function remove(asked: Asked): Promise<void> {
  const id = word(asked, 0);
  await asked.core.ask('deleteSpill', { id, now: true });
  if (asked.json) printJson({ id, deleted: true });
  else printLines([`${id} is deleted.`]);
}

async function prune({ core, json }: Asked): Promise<void> {
  const done: RpcMethods['pruneSpills']['output'] = await core.ask('pruneSpills', {});
  if (json) printJson(done);
  else printLines([`${count(done.removed, 'answer')} deleted, ${bytesInWords(done.bytes)} free again.`]);
}

function word({ words, form }: Asked, at: number): string {
  return requireWord(words, at, form);
}

function requireWord(words: readonly string[], at: number, form: string): string {
  const found = words[at];
  if (found === undefined) throw wrongUse('Something is missing', form);
  return found;
}
