/** The languages of tool descriptions: a search by English words does not find a tool described in Chinese. */
import { textOrEmpty } from '../base/json.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';

/** Languages recognized by script alone, so none in Latin script. The first match wins; Japanese also contains Han. */
const languages = Object.entries({
  Japanese: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  Chinese: /\p{Script=Han}/gu,
  Korean: /\p{Script=Hangul}/gu,
  Cyrillic: /\p{Script=Cyrillic}/gu,
  Arabic: /\p{Script=Arabic}/gu,
  Thai: /\p{Script=Thai}/gu,
});

/** Number of characters of a description that are read; names and examples in Latin letters may occur among them. */
const read = 200;
const minLanguageShare = 0.2;
/** Fewer tools do not justify a search in another language. */
const minTools = 3;
const minToolShare = 0.1;

/** A sentence for the instructions, beginning with a space; empty if only English is worth searching. */
export function languagesText({ tools }: Pick<Catalog, 'tools'>): string {
  const counts = new Map<string, number>();
  for (const tool of tools) {
    const language = languageOf(tool);
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const least = Math.min(minTools, Math.max(1, minToolShare * tools.length));
  const frequent = [...counts].filter(([, count]) => count >= least).map(([language]) => language);
  return frequent.length === 0 ? '' : ` Some are described in ${frequent.join(', ')}: search in that, too.`;
}

function languageOf({ definition }: CatalogEntry): string | undefined {
  const text = textOrEmpty(definition['description']).slice(0, read);
  if (!/[^\x00-\u024f]/.test(text)) return undefined;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return languages.find(
    ([, script]) => (text.match(script)?.length ?? 0) >= Math.max(1, minLanguageShare * letters),
  )?.[0];
}
