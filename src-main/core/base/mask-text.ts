/** Masks secrets in free text: what stands after a secret name (`token=...`, `"apiKey": "..."`), then what looks like one. */
import { mask } from './mask-mark.ts';
import { isSecretName } from './secret-names.ts';
import { maskShapes } from './secret-shapes.ts';

/**
 * A name, the quote that ends it, and what leads to its value: `=`, `:`, `=>`, `>` of XML, or a space after a `--flag`.
 * The look-behind lets a name start at its first character only, so that a long run of letters is scanned once.
 */
const named =
  /(?<![\w.-])([\w.-]+)(\\{0,7}["'`]?)([ \t]{0,8}(?:=>|:=|[:=]|>)[ \t]{0,8}|[ \t]{1,8}|[ \t]{0,8},[ \t]{0,8}(?=\\{0,7}["']))/g;

/** Alone these are everyday words in sentences (`key: Enter`); they need a clearer sign than a colon. */
const everyday = /^(?:key|pass|auth|pat|sid|sig)$/i;

/** Headers whose value is the rest of the line, spaces included. */
const wholeLine = /authorization$|cookies?$/i;

const placeholder = /^(?:\$\{[\w:.-]+\}|\$[A-Z_]+|true|false|null|undefined|\*{3}|<[\w -]+>)[,;)}\]]*$/;
const number = /^-?\d{1,15}(?:\.\d+)?[,;)}\]]*$/;

/** The text with every secret in it replaced by `***`. Takes time in proportion to the text. */
export function maskText(text: string): string {
  return maskShapes(maskNamed(text));
}

/** May this value be shown although its name is secret: a yes or no, `${env:NAME}`, a number of several (`tokens: 5`)? */
export function isPlaceholder(name: string, value: string): boolean {
  return value.length < 200 && (placeholder.test(value) || (/s$/i.test(name) && number.test(value)));
}

function maskNamed(text: string): string {
  const pattern = new RegExp(named);
  let out = '';
  let done = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole, name = '', quote = '', link = ''] = match;
    const valueStart = match.index + whole.length;
    const value = leadsToSecret(text, match.index, name, quote, link) ? findValue(text, match, valueStart) : undefined;
    if (value === undefined) continue;
    out += text.slice(done, value.start) + mask;
    done = value.end;
    pattern.lastIndex = value.end;
  }
  return done === 0 ? text : out + text.slice(done);
}

function leadsToSecret(text: string, index: number, name: string, quote: string, link: string): boolean {
  if (!isSecretName(name)) return false;
  const isFlag = name.startsWith('--');
  if (link.includes(',') || link.trim() === '') return isFlag;
  if (link.trim() === '>') return text[index - 1] === '<';
  return !(everyday.test(name) && quote === '' && link.endsWith(' '));
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the value begins and ends, without its quotes; undefined when there is nothing to hide. */
function findValue(text: string, match: RegExpExecArray, from: number): Span | undefined {
  const opening = /\\{0,7}["'`]/y;
  opening.lastIndex = from;
  const quote = opening.exec(text)?.[0];
  const start = from + (quote?.length ?? 0);
  const end = quote === undefined ? bareEnd(text, match, from) : closingQuote(text, quote, start);
  return start === end || isPlaceholder(match[1] ?? '', text.slice(start, Math.min(end, start + 200)))
    ? undefined
    : { start, end };
}

/** The closing quote of a string, also one inside strings of JSON (`\"`, `\\\"`); without one, the end of the text. */
function closingQuote(text: string, quote: string, start: number): number {
  const depth = quote.length - 1;
  const character = quote.at(-1) ?? '"';
  for (let at = text.indexOf(character, start); at !== -1; at = text.indexOf(character, at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes >= start && text[at - 1 - slashes] === '\\') slashes++;
    // At depth 0 an even number of backslashes before the quote are backslashes of the value.
    if (depth === 0 ? slashes % 2 === 0 : slashes <= depth) return at - Math.min(slashes, depth);
  }
  return text.length;
}

/** Where a value without quotes ends: at the next space, quote or bracket that cannot be part of one. */
function bareEnd(text: string, match: RegExpExecArray, from: number): number {
  const [, name = '', quote = ''] = match;
  if (quote !== '' && /[[{]/.test(text[from] ?? '')) return bracketEnd(text, from);
  const stop = bareStop(name, quote, text[match.index - 1] ?? '');
  stop.lastIndex = from;
  return stop.exec(text)?.index ?? text.length;
}

function bareStop(name: string, quote: string, before: string): RegExp {
  if (quote !== '') return /[\s"'`,\]}]/g;
  // A header inside quotes (curl -H "Cookie: a=b") ends where they do.
  if (wholeLine.test(name)) return /["'`]/.test(before) ? new RegExp(`[\\r\\n${before}]`, 'g') : /[\r\n]/g;
  return /[?&;#]/.test(before) ? /[\s"'`<>&#]/g : /[\s"'`<>]/g;
}

/** The end of a JSON list or object under a secret name; strings in it may hold brackets. */
function bracketEnd(text: string, from: number): number {
  const marks = /["[\]{}]/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    if (found[0] === '"') marks.lastIndex = closingQuote(text, '"', marks.lastIndex) + 1;
    else depth += found[0] === '[' || found[0] === '{' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}
