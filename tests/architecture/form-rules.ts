/** Form of a file: it states its purpose, is named after it, and is short enough to read at once. */
import { posix } from 'node:path';
import { isTypeOnly } from './import-rules.ts';
import { parse, type Rule } from './source.ts';

const maxLines = 500;

/** Names without a meaning. */
const emptyNames = /^(utils?|helpers?|misc|common|stuff|lib)\.(ts|svelte)$/;

export const saysWhatItIsFor: Rule = ({ path, text }) => {
  const withoutShebang = text.replace(/^#!.*\n/, '');
  const opening = path.endsWith('.svelte') ? '<!--' : '/**';
  return withoutShebang.startsWith(opening) ? [] : [`${path}:1 does not begin with a ${opening} comment`];
};

export const isNamedAfterItsTopic: Rule = ({ path }) => {
  return emptyNames.test(posix.basename(path)) ? [`${path}:1 has a name that names no topic`] : [];
};

/** A contract is a reference, so types and data may be long. */
export const canBeReadInOneGo: Rule = (source) => {
  const { path, text } = source;
  const { statements } = parse(source);
  if (statements.length > 0 && statements.every(isTypeOnly)) return [];
  const lines = text.trimEnd().split('\n').length;
  return lines > maxLines ? [`${path}:${maxLines} goes on to line ${lines}`] : [];
};
