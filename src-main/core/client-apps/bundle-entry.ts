/** Makes a server entry of a bundle's manifest: its placeholders filled with where it lies and what the person chose. */
import { join } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Machine } from './app-files.ts';
import type { BundleManifest, BundleSetting } from './bundle-manifest.ts';

/** What the person chose, by the setting's key; several values where it takes several. */
export type BundleChoices = Readonly<Record<string, readonly string[]>>;

/** Settings that must be chosen and were not. */
export function missingSettings({ settings }: BundleManifest, choices: BundleChoices): [string, BundleSetting][] {
  return Object.entries(settings).filter(([key, { required, default: usual }]) => {
    return required && usual === undefined && (choices[key] ?? []).join('') === '';
  });
}

/** Throws AppError bad_request where something must be chosen first or a choice is none of the bundle's. */
export function bundleEntry(
  manifest: BundleManifest,
  folder: string,
  choices: BundleChoices,
  machine: Pick<Machine, 'home' | 'platform'>,
): JsonObject {
  const unknown = Object.keys(choices).find((key) => !Object.hasOwn(manifest.settings, key));
  if (unknown !== undefined) throw noSetting(unknown, manifest);
  const missing = missingSettings(manifest, choices);
  if (missing.length > 0) throw notChosen(missing, manifest);
  const values = valuesOf(manifest, choices, folder, machine);
  const override = manifest.overrides[machine.platform] ?? {};
  const { command, args, env } = manifest.launch;
  const filled = Object.entries({ ...env, ...override.env })
    .map(([name, value]) => [name, fill(value, values)] as const)
    .filter(([, value]) => value !== undefined);
  return {
    command: fill(override.command ?? command, values) ?? '',
    args: (override.args ?? args).flatMap((word) => fillWord(word, values)),
    ...(filled.length > 0 && { env: Object.fromEntries(filled) }),
    ...(manifest.description !== '' && { description: manifest.description }),
  };
}

/** By placeholder, without `${` and `}`; an empty list for what was not chosen and need not be. */
type Values = ReadonlyMap<string, readonly string[]>;

function valuesOf(
  { settings }: BundleManifest,
  choices: BundleChoices,
  folder: string,
  { home, platform }: Pick<Machine, 'home' | 'platform'>,
): Values {
  const separator = platform === 'win32' ? '\\' : '/';
  const places = new Map<string, readonly string[]>([
    ['__dirname', [folder]],
    ['HOME', [home]],
    ['DESKTOP', [join(home, 'Desktop')]],
    ['DOCUMENTS', [join(home, 'Documents')]],
    ['DOWNLOADS', [join(home, 'Downloads')]],
    ['pathSeparator', [separator]],
    ['/', [separator]],
  ]);
  const chosen = Object.entries(settings).map(([key, { default: usual }]): [string, readonly string[]] => {
    const fallback = usual === undefined ? [] : [usual].flat().map((value) => fill(String(value), places) ?? '');
    return [`user_config.${key}`, choices[key] ?? fallback];
  });
  return new Map([...places, ...chosen]);
}

const placeholder = /\$\{([^}]+)\}/g;

/** A word that is nothing but a setting of several values becomes several words, or none. */
function fillWord(word: string, values: Values): readonly string[] {
  const [, only] = /^\$\{(user_config\.[^}]+)\}$/.exec(word) ?? [];
  if (only !== undefined) return values.get(only) ?? [word];
  const filled = fill(word, values);
  return filled === undefined ? [] : [filled];
}

/** Undefined where a setting in it has no value; what is no placeholder of bundles stays. */
function fill(text: string, values: Values): string | undefined {
  const names = [...text.matchAll(placeholder)].map(([, name = '']) => name);
  if (names.some((name) => values.get(name)?.length === 0)) return undefined;
  return text.replace(placeholder, (whole, name: string) => values.get(name)?.join(',') ?? whole);
}

function noSetting(key: string, { title, settings }: BundleManifest): AppError {
  const keys = Object.keys(settings);
  return new AppError('bad_request', `${title} has no setting called "${key}".`, {
    fix: keys.length === 0 ? 'It has none at all.' : `There are: ${keys.join(', ')}.`,
  });
}

function notChosen(missing: readonly [string, BundleSetting][], { title }: BundleManifest): AppError {
  const named = missing.map(([key, setting]) => (setting.title === '' ? key : `${key} (${setting.title})`));
  return new AppError('bad_request', `${title} needs to be told first: ${named.join(', ')}.`, {
    fix: `Add ${missing.map(([key]) => `--set ${key}=…`).join(' ')}.`,
    data: { missing: missing.map(([key]) => key) },
  });
}
