/** Merges the config layers for one user: the organization's, their groups' by name, their own. */
import type { AppConfig, Layer, NamedQuota, Profile } from '../app-config.ts';

export interface LayerSubject {
  /** The user's display name. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** Cannot occur in the name of a profile. */
const mark = '(layers) ';

/** The user as a word that goes with what bounds them, from replica to replica. */
export function encodeSubject({ name, groups }: LayerSubject): string {
  return `${mark}${JSON.stringify([name, ...groups])}`;
}

export function decodeSubject(bound: string): LayerSubject | undefined {
  if (!bound.startsWith(mark)) return undefined;
  const [name = '', ...groups] = JSON.parse(bound.slice(mark.length)) as string[];
  return { name, groups };
}

export interface AppliedLayers {
  /** The organization's config with what the layers have of their own; the very same where they have nothing. */
  readonly config: AppConfig;
  /** The profiles that apply, combined. */
  readonly profiles: readonly Profile[];
  readonly favorites: readonly string[];
  /** All that their calls count in. */
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

/** The one that counts least first. */
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
