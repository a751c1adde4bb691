/** Names the settings of an entry with secrets, so that the user knows what an import copies, without the values. */
import { type JsonObject, objectOrEmpty } from '../base/json.ts';
import { isSecretName, Masker, opaqueSecrets, secretValues } from '../base/mask.ts';

/** Names of variables, headers and flags. */
export function secretSettingNames(entry: JsonObject): readonly string[] {
  const named = ['env', 'headers', 'oauth'].flatMap((key) => secretNames(entry[key]));
  const masker = new Masker(opaqueSecrets(entry));
  const inAddress = typeof entry['url'] === 'string' && masker.maskText(entry['url']) !== entry['url'];
  return [...new Set([...named, ...secretFlags(entry['args'], masker), ...(inAddress ? ['url'] : [])])];
}

function secretNames(value: unknown): string[] {
  const texts = Object.entries(objectOrEmpty(value)).map(([name, text]) => [name, String(text)] as const);
  return texts
    .filter(([name, text]) => !isReference(text) && secretValues({ [name]: text }).length > 0)
    .map(([name]) => name);
}

/** `${env:NAME}` refers to a secret without containing it. */
function isReference(text: string): boolean {
  return /^(?:Bearer |Basic |Token )?\$\{[^}]+\}$/i.test(text);
}

function secretFlags(args: unknown, masker: Masker): string[] {
  if (!Array.isArray(args)) return [];
  const words = (args as unknown[]).map(String);
  const shown = masker.maskObject(words) as string[];
  return words.flatMap((word, index) => {
    if (shown[index] === word) return [];
    const [flag = ''] = word.split('=');
    const before = words[index - 1] ?? '';
    if (word.startsWith('-') && flag !== word) return [flag];
    return [before.startsWith('-') && isSecretName(before) ? before : 'args'];
  });
}
