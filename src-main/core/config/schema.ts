/** The schema of a config file: global settings and the fields of one server. */
import { z } from 'zod';
import { condenseLevels, dataFlowRoles, layerSettings, uiSettings } from './app-config.ts';
import { placements } from './server-config.ts';
import { modeValues, parseModeName } from './mode-names.ts';

// Durations in Go's notation: `30s`, `2m`, `1h30m`, `1.5s`.

const inSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
const part = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** A duration in seconds. A plain number is in nanoseconds, as in Go's JSON. */
export const duration = z.union([z.string(), z.number().min(0)]).transform((written, context) => {
  const seconds = typeof written === 'number' ? written * 1e-9 : readDuration(written.trim());
  if (seconds !== undefined) return seconds;
  context.addIssue({ code: 'custom', message: 'A time such as "30s" or "2m" is expected here', input: written });
  return z.NEVER;
});

/** In seconds; undefined for an invalid duration. */
export function readDuration(written: string): number | undefined {
  const parts = [...written.matchAll(part)];
  if (parts.length === 0 || parts.map(([text]) => text).join('') !== written) return undefined;
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (inSeconds[unit] ?? 0), 0);
}

const text = z.string().min(1);
/** Users write ports and switches unquoted, but a process only receives text. */
const looseText = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const seconds = z.number().positive();
const bytes = z.int().min(0);

const mode = z.string().transform((written, context) => {
  const name = parseModeName(written);
  if (name !== undefined) return name;
  context.addIssue({
    code: 'custom',
    message: `Unknown mode. Modes: ${modeValues.join(', ')}`,
    input: written,
  });
  return z.NEVER;
});

/** Built-in servers (core/servers/builtin). */
const builtinNames = ['utils'] as const;

const dataFlow = z
  .object({
    mode: z.enum(['off', 'record', 'ask']),
    waitSeconds: z.number().min(0).max(3600),
    approvalTimeoutMinutes: z.number().positive().max(1440),
    roles: z.record(z.string(), z.array(z.enum(dataFlowRoles))),
    secrets: z.enum(['ask', 'mask', 'off']),
  })
  .partial();

/** Such a name is part of an address. */
const profileName = z.string().regex(/^[\w.-]{1,60}$/);
const names = z.array(text);
export const profileSchema = z
  .object({
    servers: names,
    tools: names,
    except: names,
    readOnly: z.boolean(),
    noDestructive: z.boolean(),
    noOpenWorld: z.boolean(),
  })
  .partial()
  // A misspelt rule would permit more than intended.
  .strict();

/** MCPProxy's profiles are a list with names. */
function namedProfiles(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return Object.fromEntries(
    (value as { name?: unknown; servers?: unknown }[]).map(({ name, servers }) => [String(name), { servers }]),
  );
}

const registry = z.object({
  name: z.string().regex(/^[\w.-]{1,60}$/, { error: 'Letters, digits, "_", "-" and "." are expected here' }),
  url: z.string().refine(isRegistryPlace, {
    error: 'An address with https is expected here, http on this computer, or the whole path of a file',
  }),
});

function isRegistryPlace(url: string): boolean {
  if (/^(?:\/|~\/|[A-Za-z]:[\\/])/.test(url)) return true;
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password, search } = new URL(url);
  if (username !== '' || password !== '' || search !== '') return false;
  return (
    ['https:', 'file:'].includes(protocol) ||
    (protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
  );
}

/**
 * Why an address cannot be a client id, as a sentence; undefined if it can. Source:
 * draft-ietf-oauth-client-id-metadata-document, section 3.
 */
export function clientMetadataUrlProblem(address: string): string | undefined {
  const expected =
    'An address that begins with https:// and names a document is expected here, without a user, a fragment or dots for folders.';
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || address.includes('#'))
    return expected;
  // Compared verbatim, because a normalized address would be another client.
  return url.href === address && url.pathname.length > 1 ? undefined : expected;
}

/** Why a server cannot be reached at an address: what is wrong and what to write; undefined: it can. */
export function addressProblem(address: string): readonly [reason: string, suggestion: string] | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^\s*https?:\/\/[^/\s]/i.test(address))
    return ['The URL must start with http:// or https://.', 'Write "https://host/mcp".'];
  if (url.username === '' && url.password === '') return undefined;
  const suggestion = 'Write them into "headers", as "Authorization": "Basic ${env:NAME}".';
  return ['User names and passwords in a URL are not sent.', suggestion];
}

export const registrySettings = z.array(registry).max(20);

const most = z.int().min(0);
const quota = z
  .object({
    groupBy: z.array(z.enum(['user', 'app', 'server', 'tool'])).default([]),
    servers: names.optional(),
    tools: names.optional(),
    calls: most.optional(),
    bytes: most.optional(),
    window: z.enum(['minute', 'hour', 'day']).optional(),
    maxConcurrent: most.optional(),
  })
  // A misspelt key would limit something else than intended.
  .strict()
  .refine(
    ({ calls, bytes, maxConcurrent }) => [calls, bytes, maxConcurrent].filter((one) => one !== undefined).length === 1,
    {
      error: 'Exactly one of "calls", "bytes" and "maxConcurrent" is expected here',
    },
  )
  .refine(({ maxConcurrent, window }) => (maxConcurrent === undefined) === (window !== undefined), {
    error: '"calls" and "bytes" require "window": "minute", "hour" or "day"; "maxConcurrent" does not use it',
  });

/** Global settings; all are optional. */
export const settingsSchema = z.object({
  mode,
  appModes: z.record(z.string(), mode),
  profiles: z.preprocess(namedProfiles, z.record(profileName, profileSchema)),
  appProfiles: z.record(z.string(), profileName),
  ui: z.enum(uiSettings),
  appUi: z.record(z.string(), z.enum(uiSettings)),
  raw: z.boolean(),
  condense: z.enum(condenseLevels),
  enrichment: z.enum(['errors', 'first-use']),
  extraTools: z.array(text),
  exposeAdmin: z.boolean(),
  port: z.int().min(0).max(65_535),
  http: z
    .object({
      maxSessions: z.int().positive(),
      sessionIdleMinutes: z.number().positive(),
      maxStreams: z.int().positive(),
      maxRequests: z.int().positive(),
      maxBodyMB: z.number().positive().max(512),
      drainSeconds: z.number().min(0).max(3600),
    })
    .partial(),
  userProcesses: z
    .object({
      maxPerReplica: z.int().positive(),
      maxPerUser: z.int().positive(),
      idleMinutes: z.number().positive(),
    })
    .partial(),
  commandLimits: z
    .object({
      memoryMB: z.int().positive(),
      processes: z.int().positive(),
      openFiles: z.int().positive(),
      cpus: z.number().positive(),
    })
    .partial(),
  audit: z.object({ writeAhead: z.boolean(), push: z.array(z.enum(['stdout', 'otlp'])) }).partial(),
  activity: z
    .object({ maxRows: z.int().positive(), maxBytes: z.int().positive(), storePayloads: z.boolean() })
    .partial(),
  policy: z
    .object({ agentChanges: z.enum(['ask', 'allow', 'refuse']), allowAdd: z.boolean(), allowRemove: z.boolean() })
    .partial(),
  callTimeoutSeconds: seconds,
  initTimeoutSeconds: seconds,
  retrieve: z.object({ limit: z.int().min(1).max(100) }).partial(),
  code: z.object({ enabled: z.boolean(), timeoutSeconds: seconds, maxToolCalls: z.int().positive() }).partial(),
  trustEdits: z.boolean(),
  heal: z.enum(['ask', 'auto', 'off']),
  dispatch: z.object({ allow: z.array(text), deny: z.array(text), results: z.enum(['text', 'full']) }).partial(),
  results: z
    .object({
      threshold: bytes,
      thresholds: z.record(z.string(), bytes),
      appThresholds: z.record(z.string(), bytes),
      toon: z.boolean(),
      clean: z.boolean(),
      cacheSeconds: z.record(z.string(), z.number().min(0)),
      retentionDays: z.number().positive(),
      maxBytes: z.int().positive(),
      maxCount: z.int().positive(),
      deleteOnExit: z.boolean(),
      folders: z.array(text),
    })
    .partial(),
  /** A single word is the mode. */
  dataFlow: z.preprocess((value) => (typeof value === 'string' ? { mode: value } : value), dataFlow),
  slowCallSeconds: z.number().min(0),
  pollingTools: z.array(text),
  tokenBudgets: z.record(z.string(), z.int().positive()),
  reviews: z.object({ onChange: z.enum(['hold', 'warn', 'scan']) }).partial(),
  registries: registrySettings,
  overridable: z
    .object({ groups: z.array(z.enum(layerSettings)), users: z.array(z.enum(layerSettings)) })
    .partial()
    // A misspelt key would permit something else than intended.
    .strict(),
  oauth: z
    .object({
      clientMetadataUrl: z.string().superRefine((url, context) => {
        const message = clientMetadataUrlProblem(url);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
    })
    .partial(),
  quotas: z.record(z.string().regex(/^[\w.-]{1,60}$/), quota),
  network: z.object({ extraCaFile: text.optional() }),
  price: z.object({ perMillionTokens: z.number().min(0).optional(), currency: text.optional() }),
});

/** A host by name or address, or all subdomains (`*.`), with an optional port. IPv6 with a port is in brackets. */
const host = z
  .string()
  .regex(
    /^(?:(?:\*\.)?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*(?::\d{1,5})?|\[[\da-f:.]+\](?::\d{1,5})?)$/iu,
    'is not a host, such as "api.example.com"',
  );

const isolation = z.looseObject({
  mode: z.enum(['', 'auto', 'sandbox', 'container', 'docker', 'none']).optional(),
  /** Readable and writable paths in addition to those of the program: absolute or from `~`. */
  read: z.array(text).optional(),
  write: z.array(text).optional(),
  network: z.union([z.boolean(), z.array(host).min(1).max(100)]).optional(),
  enabled: z.boolean().nullish(),
  image: z.string().optional(),
  network_mode: z.string().optional(),
  working_dir: z.string().optional(),
  extra_args: z.array(looseText).optional(),
});

/** A server entry with normalized keys (dialects/read-entry.ts). */
export const entrySchema = z
  .object({
    type: text,
    command: text,
    args: z.array(looseText),
    env: z.record(z.string(), looseText),
    /** Variables of the user's login environment, by name. */
    inheritEnv: z.union([z.literal('all'), z.array(text)]),
    cwd: text,
    url: text,
    headers: z.record(z.string(), looseText),
    /** The OpenAPI description of the web API at `url`: an address or a file. */
    spec: text,
    operations: z.array(text).min(1),
    builtin: z.enum(builtinNames),
    /** Names of Magg's kits; accepted and ignored. */
    kits: z.array(text),
    folders: z.array(text),
    enabled: z.boolean(),
    quarantined: z.boolean(),
    /** Ours (a single word is the mode), MCPProxy's container, VS Code's sandbox. */
    isolation: z.preprocess((value) => (typeof value === 'string' ? { mode: value } : value), isolation),
    sandboxEnabled: z.boolean(),
    /** Owner of its process, if several users share the core. */
    placement: z.enum(placements),
    /** The registry that it was added from. */
    registry: z.object({ name: text, server: text, version: z.string() }),
    /** Parsed by read-oauth.ts, because every product has its own spelling. */
    oauth: z.union([z.boolean(), z.looseObject({})]),
    prefix: z
      .string()
      .regex(/^[A-Za-z][\w-]*$/, { error: 'Letters, digits, - and _ after a first letter are expected here' }),
    disabledTools: z.array(text),
    enabledTools: z.array(text),
    lazy: z.boolean(),
    idleTimeoutSeconds: seconds,
    initTimeoutSeconds: seconds,
    callTimeoutSeconds: seconds,
    maxMessageMB: z.number().positive(),
    maxConcurrent: z.int().positive(),
    description: z.string(),
  })
  .partial();

export type ServerEntry = z.infer<typeof entrySchema>;

/** Names of all fields of a server entry. */
export const entryFields: readonly string[] = Object.keys(entrySchema.shape);

/** For `safeParse`: a config is parsed once, and compiling a parser costs more than it saves. */
export const zodOptions = { jitless: true } as const;
