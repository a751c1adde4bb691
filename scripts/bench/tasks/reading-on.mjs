/**
 * Reading on in an answer that was kept on disk: with the calls that its notice names, then with what it or the list
 * says of the reader.
 */
import { jsonFrom } from './json-from.mjs';

/** Ways of asking for one row by its name, best first, for readers that are known to have such an op. */
const ownWays = [
  ({ name }) => ({ op: 'query', query: `$.rows[?(@.name=='${name}')]` }),
  ({ name }) => ({ op: 'grep', pattern: `"${name}"`, context: 3 }),
];

/** The text that `isFound` takes; undefined if no way leads to it. */
export async function readOn({ session, notice, wanted, isFound }) {
  const named = namedCalls(notice, session);
  const [base] = named;
  if (base === undefined) return undefined;
  const asked = new Set();
  const shown = [notice, JSON.stringify(session.tool(base.name)?.inputSchema)].join('\n');
  const own = ownWays.map((way) => way(wanted)).filter(({ op }) => new RegExp(`\\b${op}\\b`).test(shown));
  const ways = [...named.map((call) => filled(call, wanted)), ...own.map((way) => withWay(base, way))];
  for (const { name, args } of ways) {
    const key = JSON.stringify(args);
    if (asked.has(key)) continue;
    asked.add(key);
    const { text, isError } = await session.call(name, args);
    if (!isError && isFound(text)) return text;
  }
  return undefined;
}

/** The calls that a notice names, those that look for something first. */
function namedCalls(notice, session) {
  const names = [...session.tools.map(({ name }) => name), 'the same tool'];
  const [last] = session.steps.slice(-1);
  const calls = [];
  for (const match of notice.matchAll(/(?:^|[\s:`])(the same tool|[\w-]+) (?=\{)/g)) {
    const [, said] = match;
    if (!names.includes(said)) continue;
    const args = jsonFrom(notice.slice(match.index + match[0].length));
    if (args !== undefined) calls.push({ name: said === 'the same tool' ? last.name : said, args });
  }
  return [...calls.sort((a, b) => rank(a) - rank(b)), ...spelledCalls(notice, last)];
}

/** `action='readresult', resultFile='…'`: what stands between the same signs, for the tool that was called. */
function spelledCalls(notice, last) {
  const pairs = [...notice.matchAll(/\b(action|resultFile)='([^']+)'/g)].map(([, key, value]) => [key, value]);
  return pairs.length < 2 ? [] : [{ name: last.name, args: Object.fromEntries(pairs) }];
}

function rank({ args }) {
  const { op } = reading(args);
  return op === 'query' ? 0 : op === 'grep' ? 1 : 2;
}

/** Where the reader's own arguments are: the call itself, or what it hands on. */
function reading(args) {
  const inner = args.arguments ?? args.args;
  return typeof inner === 'object' && inner !== null ? reading(inner) : args;
}

function withWay(call, way) {
  const args = structuredClone(call.args);
  const inner = reading(args);
  for (const key of Object.keys(inner))
    if (!['resultFile', 'action', 'name', 'tool', 'type', 'path', 'key'].includes(key)) delete inner[key];
  Object.assign(inner, way);
  return { name: call.name, args };
}

/** An example with what is looked for in the place of its own. */
function filled(call, { name }) {
  const args = structuredClone(call.args);
  const inner = reading(args);
  if (typeof inner.pattern === 'string') inner.pattern = name;
  if (typeof inner.query === 'string') {
    inner.query = inner.query.replace(/@\.\w+\s*==\s*(?:'[^']*'|"[^"]*"|[\d.]+)/, `@.name=='${name}'`);
  }
  return { name: call.name, args };
}
