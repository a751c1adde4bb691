/**
 * Previews the lists of a server that nobody has accepted, at the user's request. The server is started once in a
 * sandbox without network, without its entry's values and without a trace on disk, then stopped. Its tools are neither
 * listed nor callable.
 */
import { AppError } from '../base/errors.ts';
import type { Env } from '../base/app-paths.ts';
import type { JsonObject } from '../base/json.ts';
import { isSecretName, maskText } from '../base/mask.ts';
import { truncateText, markInvisible } from '../base/visible-text.ts';
import { formatCount } from '../base/text-format.ts';
import type { ServerConfig, StdioServerConfig } from '../config/server-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { replaceSecrets, replaceVariables } from '../config/replace-variables.ts';
import { withReferences } from '../secrets/find-plaintext-secrets.ts';
import { isCommonVariable } from '../servers/launch/common-variables.ts';
import { toIntroduction } from '../servers/server-introduction.ts';
import { StartLimiter } from '../servers/connection-opener.ts';
import { type ProbeSuccess, type ProbeResult, probeConnection } from '../servers/probe-connection.ts';
import type { TransportFactory } from '../servers/transports/create-transport.ts';
import type { InboxPart } from '../trust/inbox/inbox-item.ts';
import { joinNames } from '../trust/inbox/entry-consequences.ts';
import { partsOf } from '../trust/inbox/pin-source.ts';
import { npxPackage, programName } from '../trust/pins/launch-fingerprint.ts';
import { scannedAs } from '../trust/pins/scan-changes.ts';
import { diffDefinitions, pinnableDefinitions, type DefinitionChange } from '../trust/pins/pinned-definitions.ts';
import type { ScanThread } from '../trust/scan/scan-thread.ts';

/** Texts are verbatim, with invisible characters marked: for a user, never for a model. */
export interface ServerPreview {
  /** ms since 1970. */
  readonly at: number;
  /** False: it could not be started, or did not respond. */
  readonly isDone: boolean;
  /** The outcome, including what was withheld from the server. */
  readonly sentence: string;
  readonly tools: number;
  /** Ids of the scan rules that its texts match. */
  readonly rules: readonly string[];
  readonly isGrave: boolean;
  readonly parts: readonly InboxPart[];
  readonly moreParts: number;
}

interface LookParts {
  readonly config: Pick<ConfigStore, 'parseText'>;
  /** A factory without stored secrets, sign-ins or environments. */
  readonly transports: TransportFactory;
  readonly scans: Pick<ScanThread, 'definition'>;
  readonly env: Env;
  readonly version: string;
  readonly now: () => number;
  /** Timeout from the start to the end of its lists, in ms, if its package is already installed. */
  readonly limitMs?: number;
}

/** Placeholder for a secret: lets a server start that only checks that the secret is set. */
const withheld = 'withheld';
const defaultTimeoutMs = 60_000;
/** Time limit for a package that must be fetched, in ms. */
const packageFetchTimeoutMs = 200_000;
/** Maximum number of definitions in a preview; a user could not review more. */
const maxDefinitions = 500;
/** Maximum length of a definition's JSON, in characters; a longer one is omitted, with a note. */
const maxDefinitionLength = 256 * 1024;
/** Commands that fetch at each start, which a sandbox without network cannot do, or that need a container service. */
const needsOutside = /^(?:uvx|uv|pipx|bunx|pnpx|pnpm|yarn|docker|podman|nerdctl)$/;

export class ServerPreviewer {
  readonly #parts: LookParts;
  /** One at a time, because each may fetch a package. */
  readonly #slots = new StartLimiter(1);

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  /** `entry`: as written. Never rejects: an error is part of the result. */
  async preview(server: string, entry: JsonObject): Promise<ServerPreview> {
    try {
      const launch = this.#launchOf(server, entry);
      return await this.#slots.run(() => this.#run(launch));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return this.#failed(error.text);
    }
  }

  async #run(launch: BareLaunch): Promise<ServerPreview> {
    const { server, missing } = launch;
    const { transports, version } = this.#parts;
    // Limits the time for lists with many pages.
    const limit = AbortSignal.timeout(server.initTimeoutMs * 1.5);
    const probe = await probeConnection(server, transports, version, { signal: limit });
    if ('error' in probe) return this.#failed(whyNot(probe, missing));
    return this.#toPreview(probe, missing);
  }

  async #toPreview({ listing, handshake, server }: ProbeSuccess, missing: readonly string[]): Promise<ServerPreview> {
    const all = [...pinnableDefinitions(listing, toIntroduction(handshake))];
    const read = all
      .slice(0, maxDefinitions)
      .filter(([, definition]) => JSON.stringify(definition).length <= maxDefinitionLength);
    const changes: DefinitionChange[] = [];
    for (const change of diffDefinitions(new Map(), new Map(read))) {
      const { findings } = await this.#parts.scans.definition(change.after, scannedAs[change.kind]);
      changes.push({ ...change, findings });
    }
    const { parts, moreParts } = partsOf(changes);
    const found = changes.flatMap(({ findings }) => findings);
    const unread = all.length - read.length;
    return {
      at: this.#parts.now(),
      isDone: true,
      sentence: [
        `In a sandbox without network it lists ${formatCount(listing.tools.length, 'tool')} and ${formatCount(listing.prompts.length, 'prompt')}.`,
        ...(unread === 0
          ? []
          : [`${formatCount(unread, 'definition')} ${unread === 1 ? 'is' : 'are'} too large to be shown.`]),
        ...withheldWords(missing),
        `When started normally, ${markInvisible(server.name)} may list other tools.`,
      ].join(' '),
      tools: listing.tools.length,
      rules: [...new Set(found.map(({ rule }) => rule))].toSorted(),
      isGrave: found.some(({ tier }) => tier === 'block'),
      parts,
      moreParts: moreParts + unread,
    };
  }

  #failed(sentence: string): ServerPreview {
    const nothing = { tools: 0, rules: [], isGrave: false, parts: [], moreParts: 0 };
    return { at: this.#parts.now(), isDone: false, sentence, ...nothing };
  }

  /** Rejects with AppError if a sandbox cannot start anything. */
  #launchOf(name: string, entry: JsonObject): BareLaunch {
    const { config, env, limitMs = defaultTimeoutMs } = this.#parts;
    const bare = { ...withoutSecrets(name, entry, env), enabled: true, disabled: false, quarantined: false };
    const reading = config.parseText(JSON.stringify({ servers: { [name]: bare } }));
    const server: ServerConfig | undefined = reading.config?.servers[0];
    const problem = reading.problems.find(({ severity }) => severity === 'error');
    if (server === undefined)
      throw new AppError('config_invalid', problem?.reason ?? 'This is not a valid server entry.');
    if (server.kind !== 'stdio') throw unlookable('It is a remote server, so there is no process to preview.');
    const { command, args } = server;
    const isFetched = npxPackage(command, args) !== undefined;
    if (needsOutside.test(programName(command)) || (programName(command) === 'npx' && !isFetched)) {
      throw unlookable(`${programName(command)} cannot start in a sandbox without network.`);
    }
    const isSecret = ([key, value]: readonly [string, string]): boolean =>
      isSecretName(key) || value.includes(withheld);
    const placeholders = Object.entries(server.env)
      .filter(isSecret)
      .map(([key]) => [key, withheld] as const);
    return {
      server: {
        ...server,
        env: Object.fromEntries(placeholders),
        inheritEnv: [],
        isolate: { kind: 'sandbox', read: [], write: [], network: false, extraArgs: [], forgets: 'everything' },
        initTimeoutMs: limitMs + (isFetched ? packageFetchTimeoutMs : 0),
      },
      missing: Object.keys(server.env),
    };
  }
}

interface BareLaunch {
  readonly server: StdioServerConfig;
  /** Names of the variables of its entry. */
  readonly missing: readonly string[];
}

/** The entry without values that are or look like secrets, and without variables of the user's login environment. */
function withoutSecrets(name: string, entry: JsonObject, env: Env): JsonObject {
  const places = Object.entries(env).filter(
    ([key, value]) => isCommonVariable(key, process.platform) && value !== undefined && maskText(value) === value,
  );
  const { description: _description, ...rest } = entry;
  const filled = replaceVariables(rest, Object.fromEntries(places), () => undefined);
  return replaceSecrets(
    withReferences(name, filled, () => 'WITHHELD'),
    () => withheld,
  );
}

function unlookable(why: string): AppError {
  return new AppError('bad_request', why);
}

function whyNot({ error, stderr }: Exclude<ProbeResult, ProbeSuccess>, missing: readonly string[]): string {
  const said = stderr.at(-1);
  return [
    `It could not be previewed. ${markInvisible(error.text)}`,
    ...(said === undefined ? [] : [`Its last output: “${truncateText(markInvisible(said), 300)}”.`]),
    ...withheldWords(missing),
  ].join(' ');
}

function withheldWords(missing: readonly string[]): string[] {
  return missing.length === 0 ? [] : [`It did not receive ${joinNames(missing.map((name) => markInvisible(name)))}.`];
}
