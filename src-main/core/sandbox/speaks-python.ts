/**
 * Which language code that no parser takes is meant to be, so that the error is that of the right one.
 * It runs in the core's own thread: every pattern here reads a megabyte in one pass.
 */

/** Strings say nothing of the language, and neither do comments behind a `#`. */
const strings = /("""|''')[\s\S]*?\1|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|#.*$/gm;

const onlyJavaScript =
  /\b(?:const|let|var)\s+[\w{[]|\bfunction\b|\bnew\s+\w|=>|[!=]==|&&|\|\||`|;[ \t]*$|\)[ \t]*\{[ \t]*$|\b(?:else|try|finally|do)[ \t]*\{|\bconsole\.|^[ \t]*\/[/*]/m;

/** Names that Python has built in, and the sandbox of JavaScript has not. */
const pythonNames =
  /\b(?:True|False|None)\b|(?<![.\w])(?:print|len|str|int|float|bool|dict|list|tuple|range|sorted|enumerate|isinstance|zip|sum|any|all|repr)\(/;

const pythonWriting = [
  /^[ \t]*(?:(?:async[ \t]+)?(?:def|for|with)|while|if|elif|else|try|except|finally|class)\b.*:[ \t]*$/m,
  /^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]|import[ \t]+\w[\w., ]*$)/m,
  /^[ \t]*(?:pass|raise|assert|del|global|nonlocal)\b/m,
  /\b(?:not|and|or|lambda|elif)\b|\bis None\b/,
  /\bfor \w+(?:, ?\w+)* in\b/,
  // The string itself is gone by then.
  /(?<![\w.])[fr](?=[ \t]*(?:[),\]}]|$))/m,
];

export function readsLikePython(code: string): boolean {
  const bare = code.replace(strings, '');
  const marks = [/^[ \t]*#/m, /"""|'''/];
  if (onlyJavaScript.test(bare)) return false;
  return marks.some((mark) => mark.test(code)) || [pythonNames, ...pythonWriting].some((mark) => mark.test(bare));
}
