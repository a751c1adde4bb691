/** Finds tags and marks that imitate the frame of a conversation, and text that a page does not display. */

export interface MarkupSpan {
  readonly rule: 'pseudo-tag' | 'role-token' | 'picture-leak' | 'hidden-text';
  readonly start: number;
  readonly end: number;
  readonly factor: number;
}

const tags =
  /<\/?\s?(important|critical|urgent|priority|hidden|secret|confidential|private|system|sys|admin|developer|assistant|information|override|directives?|instructions?|prompt|ai|llm|agent|human|user|tool_?(?:use_?)?(?:instructions?|requirements?|policy)|(?:system|admin|developer|assistant|user|security|important|hidden|internal|ai|llm|agent)[-_ ](?:message|prompt|instructions?|notes?|notice|reminder|directives?|override|request|info|rules?|requirements?))\s?>/gi;
const grave = /hidden|secret|confidential|system|admin|override|assistant|directive|developer|llm|^<\/?\s?ai/i;
const tokens =
  /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|begin_of_text|start_header_id)\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|\[(?:SYSTEM|ASSISTANT|ADMIN|DEVELOPER|AI)(?:[ _-](?:INSTRUCTIONS?|MESSAGE|NOTE|NOTICE|PROMPT|OVERRIDE|UPDATE|DIRECTIVE|REMINDER))?\s?[:\]]|\[system\]\(#|#{2,4} ?(?:NEW )?(?:SYSTEM|System) ?(?:MESSAGE|PROMPT|INSTRUCTIONS?|Message|Prompt|Instructions?|OVERRIDE|UPDATE)?[ :]*(?:#{2,4}|\n)|#{3} Instruction:|(?<!-)-{3,20} ?(?:END|BEGIN|START) OF (?:TOOL|SYSTEM|USER|DATA|DOCUMENT|CONTEXT)/g;
/** An image whose address contains a placeholder to fill in. */
const leaks =
  /!\[[^[\]\n]{0,200}\]\(\s?https?:\/\/[^)\s]{1,300}(?:=|\/)(?:\{{1,2}\w|[A-Z]{2,20}_[A-Z]{2,20}\b|%7[bB]|\[[A-Za-z]|<[a-z]|(?:YOUR|DATA|SECRET|BASE64|CONTENT|SUMMARY|HISTORY|TOKEN|INSERT)(?![a-z]))/g;
const openings = /<!--|<(?:span|div|p|font|td|a|i|b|small|section)\b[^<>]{1,300}>/gi;
const unseen =
  /^<!|display:\s?none|visibility:\s?hidden|font-size:\s?[01](?:px|pt|em)?\s?[;"']|opacity:\s?0(?:\.0\d*)?\s?[;"']|color:\s?(?:white|#fff(?:fff)?|transparent)|\bhidden\b|left:\s?-\d{3,}/i;

/** Quick check: without a match there is no markup. */
const anyMark = /[[<#]|---/;

const maxHiddenLength = 2000;

/** Takes linear time. */
export function markupSpans(text: string): MarkupSpan[] {
  const spans: MarkupSpan[] = [];
  if (!anyMark.test(text)) return spans;
  const add = (rule: MarkupSpan['rule'], start: number, end: number, factor = 1): void => {
    if (spans.length < 100) spans.push({ rule, start, end, factor });
  };
  if (text.includes('<')) {
    for (const { 0: tag, 1: name = '', index } of text.matchAll(tags)) {
      if (isFrame(text, name)) add('pseudo-tag', index, index + tag.length, grave.test(tag) ? 1 : 0.7);
    }
    for (const { 0: opening, index } of text.matchAll(openings)) {
      if (!unseen.test(opening)) continue;
      const inside = index + opening.length;
      const closing = opening === '<!--' ? '-->' : '</';
      const length = text.slice(inside, inside + maxHiddenLength).indexOf(closing);
      add('hidden-text', inside, length < 0 ? inside + maxHiddenLength : inside + length);
    }
  }
  for (const { 0: token, index } of text.matchAll(tokens)) add('role-token', index, index + token.length);
  if (text.includes('!['))
    for (const { 0: leak, index } of text.matchAll(leaks)) add('picture-leak', index, index + leak.length);
  return spans;
}

/** A tag that is closed or in capitals; `<secret>` alone is a placeholder for the reader. */
function isFrame(text: string, name: string): boolean {
  return name === name.toUpperCase() || text.includes(`</${name}`);
}
