/** Reads what a config file says beside its servers; a wrong value leaves the one that was in force. */
import type { AppConfig } from './app-config.ts';
import { closestWord } from './closest-word.ts';
import { defaultConfig } from './config-defaults.ts';
import type { ConfigDocument } from './config-document.ts';
import { issueText } from './issue-text.ts';
import { findProperty, nodeAt, nodeValue, type Property, propertiesOf } from './json-node.ts';
import { settingsSchema, uncompiled } from './schema.ts';
import { containerKeys } from './server-container.ts';

type SettingKey = keyof typeof settingsSchema.shape;

/** Objects of settings: what one leaves out keeps its default. */
const groups: ReadonlySet<SettingKey> = new Set(['activity', 'policy', 'dispatch', 'results', 'price']);

const settingKeys = Object.keys(settingsSchema.shape) as SettingKey[];

/** Keys of ToolMux that say nothing here, and schema references. */
const harmless = new Set<string>(['$schema', 'cache_model', 'version', ...containerKeys]);

const lost = new Map([
  ['kits', 'Kits of Magg are not used. The servers they brought are read where they are listed themselves.'],
  ['inputs', 'Tooltray does not ask for inputs. Write "${env:NAME}" in place of "${input:…}".'],
]);

/** The settings, without servers; a wrong value is replaced by the one of `lastGood`, an absent one by its default. */
export function readSettings(document: ConfigDocument, path: string, lastGood: AppConfig | undefined): AppConfig {
  const { root } = document;
  const isCommonFile = findProperty(root, 'mcpServers') !== undefined;
  let config = defaultConfig(path);
  for (const property of propertiesOf(root)) {
    const key = settingKeys.find((known) => known === property.key);
    if (key === undefined) reportUnknown(document, property, isCommonFile);
    else config = { ...config, [key]: readSetting(document, key, property, (lastGood ?? config)[key], config[key]) };
  }
  return config;
}

function readSetting(
  document: ConfigDocument,
  key: SettingKey,
  { valueNode }: Property,
  ifWrong: unknown,
  base: unknown,
): unknown {
  if (valueNode.type === 'null') return base;
  const checked = settingsSchema.shape[key].safeParse(nodeValue(valueNode), uncompiled);
  for (const issue of checked.error?.issues ?? []) {
    document.report('error', nodeAt(valueNode, issue.path), [key, ...issue.path], issueText(issue), {
      suggestion: `Until it is mended, ${JSON.stringify(ifWrong)} is used.`,
    });
  }
  if (!checked.success) return ifWrong;
  return groups.has(key) ? { ...(base as object), ...(checked.data as object) } : checked.data;
}

/** A file of another app (`mcpServers` beside all its own settings) is not taken to task for them, only for likely slips. */
function reportUnknown(document: ConfigDocument, { key, keyNode }: Property, isCommonFile: boolean): void {
  if (harmless.has(key) || /^[_$]/.test(key)) return;
  const known = lost.get(key);
  const meant = closestWord(key, [...settingKeys, ...containerKeys]);
  if (known === undefined && meant === undefined && isCommonFile) return;
  const reason =
    known === undefined ? `The key ${JSON.stringify(key)} is not known.` : `The key "${key}" has no effect.`;
  const suggestion = known ?? (meant === undefined ? undefined : `Did you mean "${meant}"?`);
  document.report('warning', keyNode, [key], reason, { suggestion });
}
