/** Apps that read plain JSON only: whether they can read their own file, which our writer leaves as it is laid out. */
import { tryParsePlainJson } from '../../base/json.ts';
import { type AppConfigFile, readAppFile } from '../update-app-file.ts';

/** Why the app cannot read its file, and what to do; undefined: it can, or there is none. */
export async function strictWarning({ app, file }: AppConfigFile): Promise<string | undefined> {
  if (app.isStrict !== true) return undefined;
  const text = await readAppFile(file).catch(() => undefined);
  if (text === undefined || text.trim() === '' || tryParsePlainJson(text) !== undefined) return undefined;
  const what = text.startsWith('\uFEFF') ? 'a byte order mark' : 'comments or trailing commas';
  return `${app.name} reads plain JSON only and cannot read its file, which holds ${what}. Remove them from ${file}.`;
}
