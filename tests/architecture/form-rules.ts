/** What a file looks like: it says what it is for, is named after it, and can be read in one go. */
import { posix } from 'node:path';
import { isTypeOnly } from './import-rules.ts';
import { parse, type Rule } from './source.ts';

const maxLines = 500;

/** Names that say nothing, so that everything ends up behind them. */
const emptyNames = /^(utils?|helpers?|misc|common|stuff|lib)\.(ts|svelte)$/;

export const saysWhatItIsFor: Rule = ({ path, text }) => {
  const withoutShebang = text.replace(/^#!.*\n/, '');
  const opening = path.endsWith('.svelte') ? '<!--' : '/**';
  return withoutShebang.startsWith(opening) ? [] : [`${path}:1 does not begin with a ${opening} comment`];
};

export const isNamedAfterItsTopic: Rule = ({ path }) => {
  return emptyNames.test(posix.basename(path)) ? [`${path}:1 has a name that names no topic`] : [];
};

/** A contract is looked things up in, not read: types and data may be long. */
export const canBeReadInOneGo: Rule = (source) => {
  const { path, text } = source;
  const { statements } = parse(source);
  if (statements.length > 0 && statements.every(isTypeOnly)) return [];
  const lines = text.trimEnd().split('\n').length;
  return lines > maxLines ? [`${path}:${maxLines} goes on to line ${lines}`] : [];
};
