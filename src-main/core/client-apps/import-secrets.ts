/** Which settings of an entry hold secrets, by name: a person should know what an import copies; the values are told nobody. */
import { Masker } from '../base/mask-secrets.ts';
import { isSecretName } from '../base/secret-names.ts';
import { secretValues } from '../base/secret-values.ts';
import { isObject, type JsonObject } from '../base/json.ts';

/** Names of variables, headers and flags. */
export function secretSettings(entry: JsonObject): readonly string[] {
  const named = ['env', 'headers'].flatMap((key) => secretNames(entry[key]));
  const inAddress = typeof entry['url'] === 'string' && new Masker().maskText(entry['url']) !== entry['url'];
  return [...new Set([...named, ...secretFlags(entry['args']), ...(inAddress ? ['url'] : [])])];
}

function secretNames(value: unknown): string[] {
  const texts = Object.entries(isObject(value) ? value : {}).map(([name, text]) => [name, String(text)] as const);
  return texts
    .filter(([name, text]) => !isReference(text) && secretValues({ [name]: text }).length > 0)
    .map(([name]) => name);
}

/** `${env:NAME}` says where the secret is, not what it is. */
function isReference(text: string): boolean {
  return /^(?:Bearer |Basic |Token )?\$\{[^}]+\}$/i.test(text);
}

function secretFlags(args: unknown): string[] {
  if (!Array.isArray(args)) return [];
  const words = (args as unknown[]).map(String);
  const shown = new Masker().maskObject(words) as string[];
  return words.flatMap((word, index) => {
    if (shown[index] === word) return [];
    const [flag = ''] = word.split('=');
    const before = words[index - 1] ?? '';
    if (word.startsWith('-') && flag !== word) return [flag];
    return [before.startsWith('-') && isSecretName(before) ? before : 'args'];
  });
}
