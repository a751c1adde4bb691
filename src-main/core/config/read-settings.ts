/** Reads the settings of a config file; an invalid value leaves the current one. */
import { closestMatch } from '../base/text-format.ts';
import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import type { AppConfig, ConfigProduct } from './app-config.ts';
import { modeValues } from './mode-names.ts';
import { defaultConfig } from './default-config.ts';
import { containerKeys, findContainers } from './containers.ts';
import { describeIssue } from './issue-text.ts';
import type { ConfigDocument } from './config-document.ts';
import { findProperty, nodeAt, nodeValue, type Property, propertiesOf } from './jsonc-text.ts';
import { mcpproxySettings, type ForeignSettings } from './mcpproxy-settings.ts';
import type { Env } from './replace-variables.ts';
import { settingsSchema, zodOptions } from './schema.ts';

type SettingKey = keyof typeof settingsSchema.shape;
type Settings = Omit<AppConfig, 'path' | 'servers'>;

/** Settings that are objects; absent members have their default. */
const groups: ReadonlySet<string> = new Set<keyof Settings>([
  'activity',
  'http',
  'userProcesses',
  'commandLimits',
  'audit',
  'policy',
  'dispatch',
  'results',
  'network',
  'price',
  'oauth',
  'retrieve',
  'code',
  'reviews',
  'dataFlow',
]);

const settingKeys = Object.keys(settingsSchema.shape) as SettingKey[];

/** Keys of ToolMux without effect here, and schema references. */
const harmless = new Set<string>(['$schema', 'cache_model', 'version', ...containerKeys]);

const lost = new Map([
  ['kits', 'Magg kits are not supported. Only servers that are listed directly are read.'],
  ['inputs', 'Tooltray does not prompt for inputs. Use "${env:NAME}" in place of "${input:…}".'],
]);

/** Names that the config may contain and that only later layers know. */
export interface KnownNames {
  /** Helper tools, for `extraTools`. */
  readonly helpers: ReadonlySet<string>;
}

interface SettingsContext {
  readonly path: string;
  readonly env: Env;
  readonly lastGood: AppConfig | undefined;
  /** Undefined: names of helper tools are not checked. */
  readonly known: KnownNames | undefined;
}

/** The settings, without servers; an invalid value is replaced by that of `lastGood`, an absent one by its default. */
export function readSettings(document: ConfigDocument, context: SettingsContext): AppConfig {
  const { root } = document;
  const product = productOf(root, context.path);
  const isCommonFile = findProperty(root, 'mcpServers') !== undefined && product !== 'mcpproxy';
  let config: AppConfig = { ...defaultConfig(context.path), product, ...modeOf(product) };
  // Other products' keys first, because our own key takes precedence.
  for (const property of propertiesOf(root)) {
    if (isOtherKey(property.key, product)) config = merge(config, readOther(document, property));
  }
  for (const property of propertiesOf(root)) {
    const isOther = isOtherKey(property.key, product);
    const key = isOther ? undefined : settingKeys.find((known) => known === property.key);
    if (key !== undefined) config = { ...config, [key]: readSetting(document, key, property, config, context) };
    else if (!isOther) reportUnknown(document, property, isCommonFile);
  }
  return config;
}

/** Detects the product: MCPProxy's servers are a list; ToolMux and Magg have unique keys in their entries. */
function productOf(root: Node | undefined, path: string): ConfigProduct {
  const entries = root === undefined ? [] : findContainers(root).flatMap((container) => container.entries);
  const has = (...keys: string[]): boolean =>
    entries.some(({ valueNode }) => propertiesOf(valueNode).some(({ key }) => keys.includes(key)));
  if (findProperty(root, 'mcpServers')?.valueNode.type === 'array') return 'mcpproxy';
  if (propertiesOf(root).some(({ key }) => isOtherKey(key, 'tooltray'))) return 'mcpproxy';
  if (findProperty(root, 'cache_model') !== undefined || has('base_url', '_backend_tools')) return 'toolmux';
  if (/[\\/]toolmux[\\/]mcp\.json$/.test(path) || isToolMuxFile(root, path)) return 'toolmux';
  return has('source', 'uri') || /[\\/]\.magg[\\/]config\.json$/.test(path) ? 'magg' : 'tooltray';
}

/**
 * ToolMux's file as documented: `mcp.json` with `servers` and at most `mode`. VS Code's file of that name is in
 * `.vscode`, has `inputs`, or states the `type` of its servers.
 */
function isToolMuxFile(root: Node | undefined, path: string): boolean {
  const [folder, name] = path.split(/[\\/]/).slice(-2);
  if (name !== 'mcp.json' || folder === '.vscode' || folder === 'User') return false;
  const keys = propertiesOf(root).map(({ key }) => key);
  if (!keys.includes('servers') || !keys.every((key) => ['servers', 'mode', '$schema', 'version'].includes(key)))
    return false;
  return findContainers(root as Node).every(({ entries }) =>
    entries.every(({ valueNode }) => propertiesOf(valueNode).every(({ key }) => toolMuxKeys.has(key))),
  );
}

const toolMuxKeys: ReadonlySet<string> = new Set([
  ...['command', 'args', 'env', 'cwd', 'description', 'transport', 'base_url', 'headers', 'timeout'],
]);

/** Returns the default mode for a file of the product. */
function modeOf(product: ConfigProduct): Partial<AppConfig> {
  if (product === 'toolmux') return { mode: 'gateway' };
  return product === 'mcpproxy' ? { mode: 'retrieve' } : {};
}

/** Some of MCPProxy's keys are common words that other apps may use differently. */
function isOtherKey(key: string, product: ConfigProduct): boolean {
  return mcpproxySettings.has(key) && (product === 'mcpproxy' || key.includes('_'));
}

function readOther(document: ConfigDocument, { key, keyNode, valueNode }: Property): ForeignSettings {
  const other = mcpproxySettings.get(key);
  if (other === undefined || valueNode.type === 'null') return {};
  const checked = other.check.safeParse(nodeValue(valueNode), zodOptions);
  if (!checked.success) {
    for (const issue of checked.error.issues)
      document.report('error', nodeAt(valueNode, issue.path), [key, ...issue.path], describeIssue(issue));
    return {};
  }
  const taken = other.take(checked.data as never);
  if (typeof taken !== 'string') return taken ?? {};
  document.report('warning', keyNode, [key], `The key "${key}" of MCPProxy has no effect.`, { suggestion: taken });
  return {};
}

function merge(config: AppConfig, settings: ForeignSettings): AppConfig {
  const merged = Object.entries(settings).map(([key, value]) => {
    const before = config[key as keyof Settings];
    return [key, groups.has(key) ? { ...(before as object), ...(value as object) } : value] as const;
  });
  return { ...config, ...(Object.fromEntries(merged) as Partial<Settings>) };
}

function readSetting(
  document: ConfigDocument,
  key: SettingKey,
  { valueNode }: Property,
  config: AppConfig,
  { lastGood, known }: SettingsContext,
): unknown {
  const base = config[key];
  if (valueNode.type === 'null') return base;
  const value = nodeValue(valueNode);
  const checked = settingsSchema.shape[key].safeParse(value, zodOptions);
  const ifWrong = (lastGood ?? config)[key];
  for (const issue of checked.error?.issues ?? []) {
    document.report('error', nodeAt(valueNode, issue.path), [key, ...issue.path], describeIssue(issue), {
      suggestion: [nearest(issue, value), `Until it is corrected, ${usedText(ifWrong, issue.path)} is used.`]
        .join(' ')
        .trim(),
    });
  }
  if (!checked.success) {
    const isByApp = key === 'appModes' || key === 'appUi';
    return isByApp ? withoutWrong(value, ifWrong, checked.error.issues) : ifWrong;
  }
  if (key === 'extraTools') return knownHelpers(document, valueNode, checked.data as string[], known);
  if (!groups.has(key)) return checked.data;
  reportUnknownIn(document, key, valueNode);
  return { ...(base as object), ...(checked.data as object) };
}

/** Keeps the valid values of a per-app setting. */
function withoutWrong(value: unknown, ifWrong: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const wrong = new Set(issues.map(({ path }) => path[0]));
  if (wrong.has(undefined)) return ifWrong;
  const fallback = (ifWrong ?? {}) as Readonly<Record<string, unknown>>;
  const read = Object.entries(value as object).flatMap(([app, mode]) => {
    if (!wrong.has(app)) return [[app, String(mode).trim().toLowerCase()] as const];
    return Object.hasOwn(fallback, app) ? [[app, fallback[app]] as const] : [];
  });
  return Object.fromEntries(read);
}

/** "Did you mean …?" for a similar name. */
function nearest(issue: z.core.$ZodIssue, value: unknown): string {
  const words =
    issue.code === 'custom'
      ? modeValues
      : issue.code === 'invalid_value'
        ? issue.values.map((word) => String(word))
        : [];
  const written = issue.path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)[step], value);
  const meant = typeof written === 'string' ? closestMatch(written, words) : undefined;
  return meant === undefined ? '' : `Did you mean "${meant}"?`;
}

/** Returns the value in force in place of the invalid one. */
function usedText(ifWrong: unknown, path: readonly PropertyKey[]): string {
  const used = path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined),
    ifWrong,
  );
  return used === undefined ? 'the default' : JSON.stringify(used);
}

function knownHelpers(
  document: ConfigDocument,
  node: Node,
  names: readonly string[],
  known: KnownNames | undefined,
): readonly string[] {
  if (known === undefined) return names;
  return names.filter((name, index) => {
    if (known.helpers.has(name)) return true;
    const meant = closestMatch(name, known.helpers);
    const suggestion = meant === undefined ? 'Remove it.' : `Did you mean "${meant}"?`;
    document.report('warning', nodeAt(node, [index]), ['extraTools', index], 'Unknown helper tool.', {
      suggestion,
    });
    return false;
  });
}

/** Returns the object schema of a group that may also be written as a single word. */
function objectSchema(schema: z.ZodType): z.ZodObject {
  return (schema instanceof z.ZodPipe ? schema.out : schema) as z.ZodObject;
}

/** Reports unknown keys inside of a group. */
function reportUnknownIn(document: ConfigDocument, key: SettingKey, node: Node): void {
  if (node.type !== 'object') return;
  const inner = Object.keys(objectSchema(settingsSchema.shape[key]).shape);
  for (const { key: word, keyNode } of propertiesOf(node)) {
    if (inner.includes(word) || /^[_$]/.test(word)) continue;
    const meant = closestMatch(word, inner);
    const suggestion = meant === undefined ? `Valid keys: ${inner.join(', ')}.` : `Did you mean "${meant}"?`;
    document.report('warning', keyNode, [key, word], `Unknown key ${JSON.stringify(word)}.`, { suggestion });
  }
}

/**
 * Reports an unknown key. In a file of another app (`mcpServers` next to its own settings), only likely typos are
 * reported.
 */
function reportUnknown(document: ConfigDocument, { key, keyNode }: Property, isCommonFile: boolean): void {
  if (harmless.has(key) || /^[_$]/.test(key)) return;
  const known = lost.get(key);
  const meant = closestMatch(key, [...settingKeys, ...containerKeys]);
  if (known === undefined && meant === undefined && isCommonFile) return;
  const reason = known === undefined ? `Unknown key ${JSON.stringify(key)}.` : `The key "${key}" has no effect.`;
  const suggestion = known ?? (meant === undefined ? undefined : `Did you mean "${meant}"?`);
  document.report('warning', keyNode, [key], reason, { suggestion });
}
