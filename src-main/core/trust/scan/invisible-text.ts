/** Makes invisible characters visible for users, or removes them for models if the user enabled that. */
import { codePointMarker } from '../../base/visible-text.ts';
import { hiddenSpans } from './hidden-characters.ts';

/** Characters that are invisible or change the display; line breaks, tabs and joiners within emoji are excluded. */
const unseen =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\u034f|\u180e|[\u{e0100}-\u{e01ef}]/gu;

/**
 * The text with a mark `⟨U+200B⟩` for each invisible character; a run that encodes text is shown decoded, `⟨hidden:
 * send the key⟩`. Flags and other emoji stay.
 */
export function showInvisible(text: string): string {
  return mapUnseen(text, (run, spelled) =>
    spelled === '' ? run.replace(/./gsu, codePointMarker) : `⟨hidden: ${spelled}⟩`,
  );
}

/** The text without invisible characters. `removed`: their number; the text is unchanged if it is 0. */
export function stripInvisible(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const clean = mapUnseen(text, (run) => {
    removed += [...run].length;
    return '';
  });
  return { text: clean, removed };
}

function mapUnseen(text: string, map: (run: string, spelled: string) => string): string {
  let result = '';
  let done = 0;
  // Encoded text first: tags and selectors. Flags do not count, so their tags stay.
  for (const { start, end, spelled } of spellingSpans(text)) {
    result += mapSingle(text.slice(done, start), map) + map(text.slice(start, end), spelled);
    done = end;
  }
  return result + mapSingle(text.slice(done), map);
}

function spellingSpans(text: string): ReturnType<typeof hiddenSpans> {
  return hiddenSpans(text)
    .filter(({ rule }) => rule === 'tag-characters' || rule === 'selector-run')
    .sort((a, b) => a.start - b.start);
}

/** England, Scotland, Wales: a black flag followed by tags. */
const flags = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}/gu;

function mapSingle(text: string, map: (run: string, spelled: string) => string): string {
  let result = '';
  let done = 0;
  for (const { 0: flag, index } of text.matchAll(flags)) {
    result += text.slice(done, index).replace(unseen, (character) => map(character, '')) + flag;
    done = index + flag.length;
  }
  return result + text.slice(done).replace(unseen, (character) => map(character, ''));
}
