/** Errors of HTTP requests to a server. Messages name the host, never secrets in its address. */
import { AppError, errorText } from '../../base/errors.ts';
import { maskText } from '../../base/mask.ts';

export interface HttpTarget {
  readonly serverName: string;
  readonly url: string;
  /** The server's sign-in; undefined if it uses only a key from the config. */
  readonly signIn?: object | undefined;
  /** Masks secrets in the server's messages. */
  readonly mask?: ((text: string) => string) | undefined;
}

const maxQuotedChars = 200;
const checkKey = "Check the key in the server's headers.";

/** Only host and port, because paths and queries may contain keys. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'its address';
}

/** The error for a response with an error status. */
export function statusError(place: HttpTarget, status: number, body = '', wwwAuthenticate?: string | null): AppError {
  if (status === 401 || status === 403) {
    return new AppError(
      'server_unauthorized',
      `${place.serverName} at ${hostOf(place.url)} rejected the request (HTTP ${status}).`,
      {
        fix:
          place.signIn === undefined
            ? checkKey
            : `Sign in (${signInCommand(place.serverName)}), or ${checkKey.toLowerCase()}`,
        data: { status, ...(wwwAuthenticate == null ? {} : { wwwAuthenticate }) },
      },
    );
  }
  if (isHtml(body)) return pageError(place, status);
  const { mask = maskText } = place;
  const quoted = mask(body.slice(0, 20 * maxQuotedChars))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxQuotedChars);
  return new AppError(
    'server_unreachable',
    `${place.serverName} at ${hostOf(place.url)} returned HTTP ${status}${quoted === '' ? '' : `: ${quoted}`}.`,
    { fix: "Check the server's url.", data: { status } },
  );
}

/** Whether a body is a web page, which an MCP server never sends. */
function isHtml(body: string): boolean {
  return /^\s*<(?:!doctype html|html)\b/i.test(body);
}

/**
 * The error for a web page: captive portals of hotels, trains and companies respond so until the user has signed in.
 */
export function pageError(place: HttpTarget, status: number): AppError {
  const host = hostOf(place.url);
  return new AppError(
    'server_unreachable',
    `${place.serverName} at ${host} returned a web page (HTTP ${status}), not MCP.`,
    {
      fix: `If this network has a sign-in page, open ${host} in a browser and sign in. Otherwise check the server's url.`,
      data: { status, isPage: true },
    },
  );
}

/** Returns the error for a request without a response. */
export function networkError(place: HttpTarget, error: unknown): AppError {
  const host = hostOf(place.url);
  const { reason, fix } = causeOf(error, host);
  return new AppError('server_unreachable', `${place.serverName} cannot be reached at ${host}: ${reason}.`, {
    fix,
    cause: error,
  });
}

/** A proxy from the environment, and the variable that names it. */
export interface NamedProxy {
  readonly variable: string;
  readonly host: string;
  readonly port: number;
}

interface NetworkCause {
  readonly reason: string;
  readonly fix: string;
}

const trustIt = 'Set network.extraCaFile in the config to a PEM file of its certificate authority.';
const untrusted: NetworkCause = { reason: 'its certificate is not signed by a trusted authority', fix: trustIt };

/** Codes of Node.js and OpenSSL. */
const certificates: Readonly<Record<string, NetworkCause>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'its certificate is self-signed', fix: trustIt },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: {
    reason: 'its certificate has expired',
    fix: "Check this computer's clock, or ask the operator to renew the certificate.",
  },
  CERT_NOT_YET_VALID: { reason: 'its certificate is not valid yet', fix: "Check this computer's clock." },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'its certificate is for another host',
    fix: "Check the host in the server's url.",
  },
};

/** Whether a certificate was rejected because its authority is unknown. */
export function isUntrusted(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return Object.hasOwn(certificates, code) && certificates[code]?.fix === trustIt;
}

function causeOf(error: unknown, host: string): NetworkCause {
  const { code = '', proxy } = error as NodeJS.ErrnoException & { proxy?: NamedProxy };
  const ofCertificate = Object.hasOwn(certificates, code) ? certificates[code] : undefined;
  if (ofCertificate !== undefined) return ofCertificate;
  if (proxy === undefined || !isOfProxy(error, proxy))
    return { reason: reasonOf(code, error), fix: 'Check that the server is running and that its url is correct.' };
  return {
    reason: `the proxy ${proxy.host}:${proxy.port} of ${proxy.variable} failed (${reasonOf(code, error)})`,
    fix: `Correct ${proxy.variable}, or add ${host.replace(/:\d+$/, '')} to NO_PROXY in the environment of Tooltray, then restart Tooltray.`,
  };
}

/** Whether the proxy was unreachable or refused the request. */
function isOfProxy(error: unknown, proxy: NamedProxy): boolean {
  const { code, port, hostname } = error as { code?: string; port?: number; hostname?: string };
  return code?.startsWith('ERR_PROXY') === true || port === proxy.port || hostname === proxy.host;
}

const nobodyThere: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Whether the host does not exist or nothing listens, so that another method would fail too. */
export function isNobodyThere({ cause }: AppError): boolean {
  return cause instanceof Error && nobodyThere.has((cause as NodeJS.ErrnoException).code);
}

/** The error for a session that the server no longer knows. */
export function sessionLostError(place: HttpTarget): AppError {
  return new AppError('server_exited', `${place.serverName} at ${hostOf(place.url)} ended the session.`, {
    fix: 'Tooltray reconnects automatically.',
    data: { sessionLost: true },
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the DNS lookup failed',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to host',
};

function reasonOf(code: string | undefined, error: unknown): string {
  return reasons[code ?? ''] ?? errorText(error);
}

/** Whether a host, spelled as in `URL.hostname`, is a name or an address of this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** The command to sign in to this server from a terminal. */
export function signInCommand(serverName: string): string {
  return `tooltray login ${/^[\w.-]+$/.test(serverName) ? serverName : JSON.stringify(serverName)}`;
}
