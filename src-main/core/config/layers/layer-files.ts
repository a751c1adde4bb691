/**
 * The files of a layered config: `organization.jsonc`, `groups/NAME.jsonc`, `users/NAME.jsonc`. An invalid file
 * affects only its own users: its last valid content stays in use. If there is none, the users of a group get nothing,
 * and a user's file is ignored, because a group's file may be what restricts them.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorText } from '../../base/errors.ts';
import type { AppConfig, ConfigLayers, ConfigProblem, Layer } from '../app-config.ts';
import { type LayerKind, readLayer } from './read-layer.ts';

const organisationFile = 'organization.jsonc';
const folders: readonly LayerKind[] = ['groups', 'users'];
const extension = '.jsonc';

/** The layer in place of an unreadable one: permits nothing. */
const nothing: Layer = { profiles: [{ servers: [] }], settings: {}, favorites: [], quotas: [] };

interface Used {
  readonly layer: Layer;
  readonly digest: string;
}

interface LayersReading {
  readonly layers: ConfigLayers;
  readonly problems: readonly ConfigProblem[];
  /** Hash of the active texts, including the organization's; equal for all cores that use the same texts. */
  readonly version: string;
}

export class LayerFiles {
  readonly folder: string;
  /** Active layers by path below the folder. */
  #used = new Map<string, Used>();

  constructor(folder: string) {
    this.folder = folder;
  }

  get organisation(): string {
    return join(this.folder, organisationFile);
  }

  /** Returns the paths to watch; they cover all files, links resolved. */
  async watchedPaths(): Promise<readonly string[]> {
    const paths = [this.organisation, ...folders.map((kind) => join(this.folder, kind))];
    return Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  }

  /** `text`: the organization's file; `config`: its parsed content. Never rejects. */
  async read(text: string, config: AppConfig): Promise<LayersReading> {
    const used = new Map<string, Used>();
    const problems: ConfigProblem[] = [];
    const [groups = {}, people = {}] = await Promise.all(
      folders.map(async (kind) => {
        const found = await this.#names(kind, problems);
        const layers = found.map(async (name) => {
          const layer = await this.#readOne(kind, name, config, used, problems);
          return layer === undefined ? [] : [[name, layer] as const];
        });
        return Object.fromEntries((await Promise.all(layers)).flat());
      }),
    );
    this.#used = used;
    const version = configVersion(
      text,
      [...used].map(([key, { digest }]) => `${key}\n${digest}\n`),
    );
    return { layers: { groups, users: people }, problems: problems.sort(byPlace), version };
  }

  async #names(kind: LayerKind, problems: ConfigProblem[]): Promise<readonly string[]> {
    const folder = join(this.folder, kind);
    try {
      const files = (await readdir(folder)).filter((file) => !file.startsWith('.'));
      for (const file of files.filter((one) => !one.endsWith(extension)))
        problems.push(whole('warning', join(folder, file), 'This file is not read.', `Rename it to NAME${extension}.`));
      return files.flatMap((file) => (file.endsWith(extension) ? basename(file, extension) : [])).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      problems.push(whole('error', folder, `This folder cannot be read: ${errorText(error)}.`, undefined));
      // Users whose layer file disappeared stay restricted by the last version read.
      return [...this.#used.keys()].flatMap((one) => (one.startsWith(`${kind}/`) ? one.slice(kind.length + 1) : []));
    }
  }

  async #readOne(
    kind: LayerKind,
    name: string,
    config: AppConfig,
    used: Map<string, Used>,
    problems: ConfigProblem[],
  ): Promise<Layer | undefined> {
    const key = `${kind}/${name}`;
    const file = join(this.folder, kind, `${name}${extension}`);
    const keep = (one: Used): Layer => {
      used.set(key, one);
      return one.layer;
    };
    const instead = (found: readonly ConfigProblem[]): Layer | undefined => {
      const last = this.#used.get(key);
      const effect = last === undefined || last.digest === '' ? effectOf(kind) : 'The last valid version stays in use.';
      problems.push(...found.map((problem) => ({ ...problem, reason: `${problem.reason} ${effect}` })));
      if (last !== undefined) return keep(last);
      return kind === 'groups' ? keep({ layer: nothing, digest: '' }) : undefined;
    };
    try {
      const text = await readFile(file, 'utf8');
      const { layer, problems: found } = readLayer(kind, text, file, config);
      if (layer === undefined) return instead(found);
      problems.push(...found);
      return keep({ layer, digest: digestOf(text) });
    } catch (error) {
      return instead([whole('error', file, `This file cannot be read: ${errorText(error)}.`, undefined)]);
    }
  }
}

function effectOf(kind: LayerKind): string {
  return kind === 'groups'
    ? 'Until it is corrected, users of this group have no access.'
    : 'Until it is corrected, the file is ignored.';
}

/** `text`: the organization's text, or the only one. Sorted, so that equal layers have equal versions. */
export function configVersion(text: string, layers: readonly string[] = []): string {
  return digestOf([digestOf(text), ...layers.toSorted()].join('\n')).slice(0, 16);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function whole(
  severity: ConfigProblem['severity'],
  file: string,
  reason: string,
  suggestion: string | undefined,
): ConfigProblem {
  return { severity, file, line: 1, column: 1, path: '', reason, suggestion };
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column;
}
