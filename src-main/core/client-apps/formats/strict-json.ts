/** Checks whether apps that read plain JSON can read their own file, because our writer preserves its notation. */
import { tryParsePlainJson } from '../../base/json.ts';
import { type AppConfigFile, readAppFile } from '../update-app-file.ts';
import { withoutBom } from './config-format.ts';

/** Why the app cannot read its file, and what to do; undefined if it can, or if there is none. */
export async function strictWarning({ app, file }: AppConfigFile): Promise<string | undefined> {
  if (app.isStrict !== true) return undefined;
  const text = await readAppFile(file).catch(() => undefined);
  if (text === undefined || text.trim() === '' || tryParsePlainJson(text) !== undefined) return undefined;
  const plain = withoutBom(text);
  const parts = [
    ...(plain === text ? [] : ['a byte order mark']),
    ...(tryParsePlainJson(plain) === undefined ? ['comments or trailing commas'] : []),
  ];
  return `${app.name} reads plain JSON only, but its file contains ${parts.join(' and ')}. Remove them from ${file}.`;
}
