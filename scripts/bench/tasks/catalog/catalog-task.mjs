/**
 * One task of a public collection in one mode: an agent looks for tools with the task's own words, then with those of
 * the users who solved it, all steps at once where the mode takes that, then one after the other while something is
 * missing; it calls each tool that they used and that it was shown.
 */
import { ownName } from '../needs.mjs';

/** Steps of one task that are looked for. */
const mostLooks = 8;

/**
 * `{wanted, seen, looks}`. `wanted`: groups of tools that do the same, one of which the task needs. `steps`: how users
 * put what they did. `schemaOf` tells what a tool takes, by `server:tool`.
 */
export async function doTask(hand, session, { query, steps, wanted, schemaOf }) {
  const before = session.calls;
  await session.as('searches', async () => {
    if (hand.isAllShown) return;
    await hand.look({ query }, query);
    const words = steps.slice(0, mostLooks);
    if (missing(hand, wanted).length === 0) return;
    if (words.length > 1) await hand.lookForAll(words);
    for (const word of words) {
      if (missing(hand, wanted).length === 0) return;
      await hand.look({ query: word }, word);
    }
  });
  const looks = session.calls - before;
  const found = wanted.flatMap((group) => shownOf(hand, group) ?? []);
  for (const { tool, id } of found) await callIt(hand, session, tool, schemaOf(id));
  return { wanted: wanted.length, seen: found.length, looks };
}

async function callIt(hand, session, tool, schema) {
  const args = leastOf(schema);
  const names = Object.keys(args);
  if (!hand.knows(tool, names)) await session.as('schemas', () => hand.schemas([tool]));
  await hand.call(tool, args);
}

function missing(hand, wanted) {
  return wanted.filter((group) => shownOf(hand, group) === undefined);
}

/** The first tool of the group that was shown, and its id. */
function shownOf(hand, group) {
  const wanted = new Map([...group].map((id) => [plain(id), id]));
  for (const tool of hand.offered) {
    const id = wanted.get(plain(tool.name)) ?? wanted.get(plain(idOf(tool, hand.servers)));
    if (id !== undefined) return { tool, id };
  }
  return undefined;
}

/**
 * Modes write the line between a server and its tool, and signs that apps do not take, in several ways; a name does not
 * say its server twice, and begins with a letter.
 */
function plain(id) {
  const [, server, tool] = /^([^:]*):(.*)$/.exec(id) ?? [];
  const isTwice = server !== undefined && signs(tool).startsWith(`${signs(server)}_`);
  return signs(isTwice ? tool : id).replace(/^t(?=\d)/, '');
}

function signs(text) {
  return text.replaceAll(/[^a-z0-9]+/gi, '_').toLowerCase();
}

/** `server:tool`, however the mode writes it. */
export function idOf(tool, servers) {
  const [, place] = /^c(\d+)$/.exec(tool.server ?? '') ?? [];
  return `${place === undefined ? tool.server : servers[place - 1]}:${ownName(tool)}`;
}

/** The fewest arguments that a schema takes: a word where a text is wanted, and no more than it requires. */
function leastOf(schema = {}) {
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, valueFor(properties[name] ?? {})]));
}

function valueFor(schema) {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return valueFor(first);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object') return leastOf(schema);
  if (type === 'array') return Array.from({ length: schema.minItems ?? 1 }, () => valueFor(schema.items ?? {}));
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  return type === 'null' ? null : 'a value'.padEnd(schema.minLength ?? 0, '.');
}
