/** What a file looks like: it says what it is for, is named after it, and can be read in one go. */
import { posix } from 'node:path';
import type { Rule } from './source.ts';

const mostLines = 500;

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

export const canBeReadInOneGo: Rule = ({ path, text }) => {
  const lines = text.trimEnd().split('\n').length;
  return lines > mostLines ? [`${path}:${mostLines} goes on to line ${lines}`] : [];
};
