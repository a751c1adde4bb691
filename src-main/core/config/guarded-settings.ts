/** Determines which settings grant something, and whether a change grants more. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../base/json.ts';
import type { AppConfig } from './app-config.ts';

/**
 * Settings that grant nothing. Every other setting, including future ones, is guarded: also `activity` and `results`,
 * because lowering them deletes records.
 */
const plainSettings: ReadonlySet<string> = new Set([
  ...[
    'path',
    'product',
    'servers',
    'mode',
    'appModes',
    'raw',
    'enrichment',
    'extraTools',
    'exposeAdmin',
    'port',
    'http',
    'userProcesses',
  ],
  ...['callTimeoutSeconds', 'initTimeoutSeconds', 'retrieve', 'slowCallSeconds', 'price'],
  ...['pollingTools', 'tokenBudgets'],
]);

/** The settings that grant something, as JSON, so that they compare equal to parsed ones. */
export function guardedSettings(config: AppConfig): JsonObject {
  const { results, ...others } = config;
  const guarded = Object.entries(others).filter(([key]) => !plainSettings.has(key));
  const ofResults = Object.entries(results).map(([key, value]) => [`results.${key}`, value] as const);
  return JSON.parse(JSON.stringify(Object.fromEntries([...guarded, ...ofResults]))) as JsonObject;
}

/** The settings that grant nothing, as JSON. */
export function plainOf(config: AppConfig): JsonObject {
  const plain = Object.entries(config).filter(([key]) => plainSettings.has(key) && !['path', 'servers'].includes(key));
  return JSON.parse(JSON.stringify(Object.fromEntries(plain))) as JsonObject;
}

/** Returns a config with stored guarded settings. */
export function withSettings(config: AppConfig, settings: JsonObject): AppConfig {
  const ofResults = (key: string): boolean => key.startsWith('results.');
  const results = Object.entries(settings).flatMap(([key, value]) =>
    ofResults(key) ? [[key.slice('results.'.length), value] as const] : [],
  );
  const others = Object.entries(settings).filter(([key]) => !ofResults(key));
  return {
    ...config,
    ...Object.fromEntries(others),
    results: { ...config.results, ...Object.fromEntries(results) },
  };
}

/** Whether a change only tightens a setting, so that it needs no approval. */
export function tightens(key: string, before: unknown, value: unknown): boolean {
  if (key === 'trustEdits') return value === false;
  if (key === 'isolateCommands') return value === true;
  if (key === 'dataFlow') return tightensFlow(before, value);
  if (key === 'heal') return value === 'off' || (value === 'ask' && before === 'auto');
  if (key === 'results.folders') return isPart(value, before);
  if (!isObject(before) || !isObject(value)) return false;
  if (key === 'reviews') return value['onChange'] === 'hold';
  if (key === 'code') return value['enabled'] !== true || before['enabled'] === true;
  if (key !== 'policy') return false;
  const order: readonly unknown[] = ['refuse', 'ask', 'allow'];
  const loosens = order.indexOf(value['agentChanges']) > order.indexOf(before['agentChanges']);
  return !loosens && ['allowAdd', 'allowRemove'].every((member) => value[member] !== true || before[member] === true);
}

/** Whether less can be sent without approval. Changes of roles always need approval. */
function tightensFlow(before: unknown, value: unknown): boolean {
  if (!isObject(before) || !isObject(value)) return false;
  const { mode: was, ...others } = before;
  const { mode: is, ...rest } = value;
  const order: readonly unknown[] = ['off', 'record', 'ask'];
  return order.indexOf(is) >= order.indexOf(was) && isDeepStrictEqual(others, rest);
}

function isPart(some: unknown, all: unknown): boolean {
  return Array.isArray(some) && Array.isArray(all) && some.every((item) => all.includes(item));
}
