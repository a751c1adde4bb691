/** Reads the config overrides of one group or user and rejects what the organization does not allow. */
import { basename } from 'node:path';
import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import { closestMatch } from '../../base/text-format.ts';
import {
  type AppConfig,
  type ConfigProblem,
  type Layer,
  type LayerSetting,
  layerSettings,
  type NamedQuota,
  type Profile,
  type Quota,
} from '../app-config.ts';
import { ConfigDocument } from '../config-document.ts';
import { findProperty, nodeAt, nodeValue, type Property, propertiesOf } from '../jsonc-text.ts';
import { containerKeys } from '../containers.ts';
import { describeIssue } from '../issue-text.ts';
import { profileSchema, settingsSchema, zodOptions } from '../schema.ts';

export type LayerKind = 'groups' | 'users';

/**
 * Security settings and quotas: lower layers may override them only if the organization lists them in `overridable`.
 */
const restrictedSettings: ReadonlySet<LayerSetting> = new Set(['code', 'quotas', 'results.clean']);

/** Settings that lower layers may set if the organization does not specify any. */
const defaultOverridable = layerSettings.filter((setting) => !restrictedSettings.has(setting));

const { shape } = settingsSchema;
const names = z.array(z.string().min(1));

/** Keys that only restrict; allowed in every layer. */
const restrictingKeys = {
  profile: profileSchema,
  /** Disables a server for the users of this file. */
  servers: z.record(z.string(), z.union([z.boolean(), z.looseObject({ enabled: z.boolean().optional() })])),
  hiddenTools: names,
  favoriteTools: names,
} as const;

const settings = {
  mode: shape.mode,
  appModes: shape.appModes,
  ui: shape.ui,
  appUi: shape.appUi,
  condense: shape.condense,
  enrichment: shape.enrichment,
  extraTools: shape.extraTools,
  slowCallSeconds: shape.slowCallSeconds,
  retrieve: shape.retrieve,
  code: shape.code,
  results: shape.results,
} as const;

/** Quotas of a lower layer apply in addition to those above, or replace them if `quotas` is overridable. */
const quotaKeys = { quotas: shape.quotas } as const;

const known = { ...restrictingKeys, ...settings, ...quotaKeys };
const keys = Object.keys(known) as (keyof typeof known)[];

export interface LayerReading {
  /** Undefined if any value is invalid: applying a file in part could permit more than intended. */
  readonly layer?: Layer;
  readonly problems: readonly ConfigProblem[];
}

type Organisation = Pick<AppConfig, 'servers' | 'overridable'>;

/**
 * Parses `text`, the content of the file at `path`. A setting that the layer may not override is ignored and reported.
 */
export function readLayer(kind: LayerKind, text: string, path: string, organisation: Organisation): LayerReading {
  const document = new ConfigDocument(text, path);
  if (document.root === undefined) return { problems: document.problems };
  const reader = new LayerReader(document, kind, basename(path), organisation);
  for (const property of propertiesOf(document.root)) reader.take(property);
  return { ...(!reader.hasFailed && { layer: reader.layer }), problems: reader.problems };
}

class LayerReader {
  hasFailed = false;
  readonly #document: ConfigDocument;
  readonly #kind: LayerKind;
  readonly #file: string;
  readonly #organisation: Organisation;
  readonly #refused = new Set<ConfigProblem>();
  readonly #profiles: Profile[] = [];
  #settings: Layer['settings'] = {};
  #favorites: readonly string[] = [];
  #quotas: readonly NamedQuota[] = [];

  constructor(document: ConfigDocument, kind: LayerKind, file: string, organisation: Organisation) {
    this.#document = document;
    this.#kind = kind;
    this.#file = file;
    this.#organisation = organisation;
  }

  get layer(): Layer {
    return {
      profiles: this.#profiles,
      settings: this.#settings,
      favorites: this.#favorites,
      quotas: this.#quotas,
    };
  }

  get problems(): readonly ConfigProblem[] {
    return this.#document.problems.map((problem) =>
      this.#refused.has(problem) ? { ...problem, isRefused: true } : problem,
    );
  }

  take(property: Property): void {
    const { key, valueNode } = property;
    if (/^[_$]/.test(key)) return;
    const settingKey = keys.find((word) => word === key);
    if (settingKey === undefined) return this.#stranger(property);
    if (valueNode.type === 'null') return;
    const checked = known[settingKey].safeParse(nodeValue(valueNode), zodOptions);
    if (!checked.success) {
      this.hasFailed = true;
      for (const issue of checked.error.issues as readonly z.core.$ZodIssue[])
        this.#document.report('error', nodeAt(valueNode, issue.path), [key, ...issue.path], describeIssue(issue));
      return;
    }
    switch (settingKey) {
      case 'profile':
        this.#profiles.push(checked.data as Profile);
        return;
      case 'servers':
        return this.#switch(property);
      case 'hiddenTools':
        this.#profiles.push({ except: checked.data as string[] });
        return;
      case 'favoriteTools':
        this.#favorites = checked.data as string[];
        return;
      case 'quotas':
        this.#quotas = Object.entries(checked.data as Readonly<Record<string, Quota>>).map(([name, quota]) => ({
          ...quota,
          name,
          id: `${this.#kind}/${this.#file}/${name}`,
          replaces: this.#may('quotas'),
        }));
        return;
      case 'results':
        this.#settings = { ...this.#settings, results: this.#resultsOf(property, checked.data as object) };
        return;
      default:
        if (this.#may(settingKey)) this.#settings = { ...this.#settings, [settingKey]: checked.data };
        else this.#refuse(property, [settingKey], settingKey);
    }
  }

  /** Checks each member of `results` separately. */
  #resultsOf({ valueNode }: Property, read: object): object {
    const allowedMembers = propertiesOf(valueNode).flatMap((inner) => {
      const name = `results.${inner.key}`;
      if (this.#may(name)) return [[inner.key, read[inner.key as keyof typeof read]] as const];
      this.#refuse(inner, ['results', inner.key], name);
      return [];
    });
    return Object.fromEntries(allowedMembers);
  }

  /** A layer can only disable servers. */
  #switch({ valueNode }: Property): void {
    const off: string[] = [];
    for (const server of propertiesOf(valueNode)) {
      const found = this.#organisation.servers.find(({ name }) => name === server.key);
      const at = ['servers', server.key];
      const extra = propertiesOf(server.valueNode).find(({ key }) => key !== 'enabled');
      const isOn = server.valueNode.type === 'boolean' ? server.valueNode.value === true : isEnabled(server.valueNode);
      if (extra !== undefined) {
        const reason = 'Servers can be added and changed only in organization.jsonc.';
        this.#say(extra.keyNode, [...at, extra.key], reason, `Write "${server.key}": false, or remove it.`);
      } else if (found === undefined) {
        const meant = closestMatch(
          server.key,
          this.#organisation.servers.map(({ name }) => name),
        );
        this.#document.report('warning', server.keyNode, at, 'Unknown server.', {
          suggestion: meant === undefined ? 'Remove it.' : `Did you mean "${meant}"?`,
        });
      } else if (isOn && !found.enabled) {
        const reason = 'The organization has disabled this server.';
        this.#say(server.keyNode, at, reason, 'Remove it.');
      }
      if (!isOn) off.push(server.key);
    }
    const on = this.#organisation.servers.map(({ name }) => name).filter((name) => !off.includes(name));
    if (off.length > 0) this.#profiles.push({ servers: on });
  }

  #may(name: string): boolean {
    const { overridable } = this.#organisation;
    return (overridable?.[this.#kind] ?? defaultOverridable).some((allowed) => allowed === name);
  }

  /** Reports an organization-only or unknown key. */
  #stranger(property: Property): void {
    const { key, keyNode } = property;
    if (key in shape || containerKeys.some((word) => word === key)) return this.#refuse(property, [key], undefined);
    const meant = closestMatch(key, keys);
    this.#document.report('warning', keyNode, [key], `Unknown key ${JSON.stringify(key)}.`, {
      suggestion: meant === undefined ? `Valid keys: ${keys.join(', ')}.` : `Did you mean "${meant}"?`,
    });
  }

  /** `allowed` is the name to list in `overridable`; undefined if the setting can never be overridden. */
  #refuse({ keyNode }: Property, path: readonly string[], allowed: string | undefined): void {
    const word = path.join('.');
    const subject = this.#kind === 'groups' ? 'a group' : 'a user';
    if (allowed === undefined || !isLayerSetting(allowed))
      return this.#say(keyNode, path, `"${word}" can only be set by the organization.`, 'Remove it.');
    const suggestion = `Remove it, or ask the organization to add "${allowed}" to "overridable.${this.#kind}".`;
    this.#say(keyNode, path, `The organization does not allow ${subject} to set "${word}".`, suggestion);
  }

  #say(at: Node, path: readonly string[], reason: string, suggestion: string): void {
    this.#document.report('error', at, path, reason, { suggestion });
    const reported = this.#document.problems.at(-1);
    if (reported !== undefined) this.#refused.add(reported);
  }
}

function isEnabled(node: Node): boolean {
  const enabled: unknown = findProperty(node, 'enabled')?.valueNode.value;
  return enabled !== false;
}

function isLayerSetting(name: string): boolean {
  return layerSettings.some((setting) => setting === name);
}
