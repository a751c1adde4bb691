/** Merges the config layers of one user: the organization's, those of their groups by name, their own. */
import type { AppConfig, Layer, NamedQuota, Profile } from '../app-config.ts';

export interface LayerSubject {
  /** The user's display name. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** Cannot occur in a profile name. */
const mark = '(layers) ';

/** The user as text, so that a replica can pass it on. */
export function encodeSubject({ name, groups }: LayerSubject): string {
  return `${mark}${JSON.stringify([name, ...groups])}`;
}

export function decodeSubject(bound: string): LayerSubject | undefined {
  if (!bound.startsWith(mark)) return undefined;
  const [name = '', ...groups] = JSON.parse(bound.slice(mark.length)) as string[];
  return { name, groups };
}

export interface AppliedLayers {
  /** The organization's config with the overrides of the layers; the same object without overrides. */
  readonly config: AppConfig;
  /** The profiles that apply, combined. */
  readonly profiles: readonly Profile[];
  readonly favorites: readonly string[];
  /** All quotas that their calls count against. */
  readonly quotas: readonly NamedQuota[];
}

export function applyLayers(config: AppConfig, person: LayerSubject): AppliedLayers {
  const layers = layersOf(config, person);
  return {
    config: layers.reduce(withSettings, config),
    profiles: layers.flatMap(({ profiles }) => profiles),
    favorites: layers.flatMap(({ favorites }) => favorites),
    quotas: layers.reduce<readonly NamedQuota[]>(
      (above, { quotas }) => [...above.filter(({ name }) => !replaced(quotas, name)), ...quotas],
      Object.entries(config.quotas ?? {}).map(([name, quota]) => ({ ...quota, name, id: name, replaces: false })),
    ),
  };
}

function replaced(quotas: readonly NamedQuota[], name: string): boolean {
  return quotas.some((quota) => quota.replaces && quota.name === name);
}

/** In increasing precedence. */
function layersOf({ layers }: AppConfig, { name, groups }: LayerSubject): readonly Layer[] {
  if (layers === undefined) return [];
  const own = (all: Readonly<Record<string, Layer>>, key: string): readonly Layer[] =>
    Object.hasOwn(all, key) && all[key] !== undefined ? [all[key]] : [];
  return [...[...new Set(groups)].sort().flatMap((group) => own(layers.groups, group)), ...own(layers.users, name)];
}

/** Merges settings keyed by name; replaces all others. */
function withSettings(config: AppConfig, { settings }: Layer): AppConfig {
  if (Object.keys(settings).length === 0) return config;
  const { appModes, appUi, retrieve, code, results, ...plain } = settings;
  return {
    ...config,
    ...plain,
    appModes: { ...config.appModes, ...appModes },
    appUi: { ...config.appUi, ...appUi },
    retrieve: { ...config.retrieve, ...retrieve },
    code: { ...config.code, ...code },
    results: {
      ...config.results,
      ...results,
      thresholds: { ...config.results.thresholds, ...results?.thresholds },
      appThresholds: { ...config.results.appThresholds, ...results?.appThresholds },
    },
  };
}
