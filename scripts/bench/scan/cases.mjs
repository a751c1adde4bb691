/**
 * Labelled texts and ordinary catalogs that the scanner is judged on. They are data of others and stay outside the
 * project.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../places.mjs';
import { readCatalog } from '../search/data-sets.mjs';

const file = join(root, '..', 'shared', 'data', 'attacks', 'cases.jsonl');

/** Boasting and a parameter too many: no order in them that a rule could find. */
const undirected = new Set(['MSB/preference_manipulation', 'MSB/out_of_scope_parameter']);

/** `{id, kind, label, category, set, half, tool?, text?}`; none where the data is absent. */
export function readCases() {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line))
    .map((one) => ({ ...one, set: setOf(one), half: halfOf(one.group ?? one.id) }));
}

/** All tools of other users' catalogs, taken to be ordinary. */
export function readOrdinary() {
  const sources = [
    'github',
    'azure2025',
    'dockerregistry',
    'livemcpbench',
    'toucan',
    'stabletoolbench',
    'bfcl',
    'metatool',
  ];
  return sources.map((source) => ({ source, tools: readCatalog(source) })).filter(({ tools }) => tools.length > 0);
}

function setOf({ kind, label, category }) {
  if (kind === 'tool') {
    if (label === 'attack') return undirected.has(category) ? 'tool attacks, undirected' : 'tool attacks, directive';
    return label === 'benign' ? 'ordinary tools' : 'openly malicious tools';
  }
  if (label === 'attack') return category.startsWith('bipia') ? 'results, BIPIA' : 'result attacks';
  if (category === 'read-me') return 'read-mes';
  return category === 'security writing' ? 'texts about security' : 'everyday texts';
}

/**
 * Two halves by chance, to be compared: both were looked at while rules were changed. Cases of one template are in one
 * half.
 */
function halfOf(group) {
  return createHash('md5').update(group).digest()[0] % 2 === 0 ? 'dev' : 'test';
}
