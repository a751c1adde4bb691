/**
 * Security headers of a tool's view in its frame: it may only run its own scripts, unless it declared a domain or a
 * device and the user allowed it. Pure. Source: SEP-1865 (MCP Apps, 2026-01-26), "UI Resource Format" and "Content
 * Security Policy Enforcement".
 */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';

/** Declared requirements of a view, as far as they can be granted. */
export interface ViewRequirements {
  /** For requests of its scripts. */
  readonly connect: readonly string[];
  /** For images, scripts, styles, fonts, audio. */
  readonly resources: readonly string[];
  /** For nested frames. */
  readonly frames: readonly string[];
  /** Permitted bases of relative addresses. */
  readonly baseUris: readonly string[];
  readonly permissions: readonly ViewPermission[];
  /** Declared requirements that are never granted, verbatim. */
  readonly refused: readonly string[];
}

export const viewPermissions = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;

export type ViewPermission = (typeof viewPermissions)[number];

/** The requirements that the user allowed. */
export interface ViewGrant {
  readonly network: boolean;
  readonly permissions: boolean;
}

/** Browser names of the features. */
const features: Readonly<Record<ViewPermission, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
};

/** Maximum number of domains of one kind, because users do not read longer lists. */
const maxDomains = 40;
const maxDomainLength = 260;

/** Reads `_meta.ui` of a resource. */
export function parseViewRequirements(ui: JsonObject): ViewRequirements {
  const csp = objectOrEmpty(ui['csp']);
  const lists = {
    connect: domainsOf(csp['connectDomains']),
    resources: domainsOf(csp['resourceDomains']),
    frames: domainsOf(csp['frameDomains']),
    baseUris: domainsOf(csp['baseUriDomains']),
  };
  const requested = objectOrEmpty(ui['permissions']);
  const permissions = viewPermissions.filter((name) => isObject(requested[name]) || requested[name] === true);
  const refused = Object.values(lists).flatMap((list) => list.refused);
  const { connect, resources, frames, baseUris } = lists;
  return {
    connect: connect.taken,
    resources: resources.taken,
    frames: frames.taken,
    baseUris: baseUris.taken,
    permissions,
    refused: [...new Set(refused)],
  };
}

/** A host with scheme and optional port; a leading `*.` includes all subdomains. */
const domain = /^(?:https?|wss?):\/\/(?:\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d{1,5})?$/i;
/** A view must never reach programs of this machine or its network through us, least of all Tooltray. */
const near = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$|^[\d.]+$/i;

function domainsOf(declared: unknown): { readonly taken: readonly string[]; readonly refused: readonly string[] } {
  if (!Array.isArray(declared)) return { taken: [], refused: [] };
  const all = [...new Set(declared.map((one) => (typeof one === 'string' ? one.trim() : JSON.stringify(one))))];
  const isTaken = (one: string): boolean => {
    const [, host = ''] = domain.exec(one.replace(/\/$/, '')) ?? [];
    return host !== '' && one.length <= maxDomainLength && !near.test(host);
  };
  const taken = all.filter(isTaken).slice(0, maxDomains);
  const shown = all.filter((one) => !taken.includes(one)).slice(0, maxDomains);
  return {
    taken: taken.map((one) => one.replace(/\/$/, '')),
    refused: shown.map((one) => one.slice(0, maxDomainLength)),
  };
}

export interface ViewPolicy {
  readonly headers: Readonly<Record<string, string>>;
  /** Value of the frame's `allow`; may be empty. */
  readonly allow: string;
}

/**
 * `sandbox` gives the frame an opaque origin: no storage, no cookies, no access to its parents. No
 * directive contains `'self'`, which would be our own address. Nested frames inherit all of it.
 */
export function createViewPolicy(wishes: ViewRequirements, granted: ViewGrant): ViewPolicy {
  const { connect, resources, frames, baseUris } = granted.network ? wishes : noWishes;
  const permissions = granted.permissions ? wishes.permissions : [];
  const sources = (...lists: (readonly string[])[]): string => lists.flat().join(' ') || "'none'";
  const csp = [
    `sandbox ${frameSandbox}`,
    "default-src 'none'",
    `script-src ${sources(["'unsafe-inline'"], resources)}`,
    `style-src ${sources(["'unsafe-inline'"], resources)}`,
    `img-src ${sources(['data:', 'blob:'], resources)}`,
    `font-src ${sources(['data:'], resources)}`,
    `media-src ${sources(['data:', 'blob:'], resources)}`,
    `connect-src ${sources(connect)}`,
    `frame-src ${sources(frames)}`,
    `base-uri ${sources(baseUris)}`,
    ...['worker-src blob:', "object-src 'none'", "form-action 'none'", "frame-ancestors 'self'"],
  ];
  const reachable = [...new Set([connect, resources, frames].flat())].map((one) => JSON.stringify(one));
  return {
    headers: {
      'content-security-policy': csp.join('; '),
      'permissions-policy': viewPermissions
        .map((name) => `${features[name]}=${permissions.includes(name) ? '*' : '()'}`)
        .join(', '),
      // In supporting browsers, this also blocks what a content security policy does not cover: WebRTC and preconnects.
      'connection-allowlist': `(${reachable.join(' ')})`,
      'x-dns-prefetch-control': 'off',
    },
    allow: permissions.map((name) => `${features[name]} *`).join('; '),
  };
}

const noWishes: Pick<ViewRequirements, 'connect' | 'resources' | 'frames' | 'baseUris'> = {
  connect: [],
  resources: [],
  frames: [],
  baseUris: [],
};

/** Forms are permitted only so that scripts receive their events; none is ever sent. */
export const frameSandbox = 'allow-scripts allow-forms';
