/** What went wrong between us and a server over HTTP, in words that name the host and never a secret of its address. */
import { AppError, errorText } from '../../base/errors.ts';
import { maskText } from '../../base/mask.ts';

export interface HttpPlace {
  readonly serverName: string;
  readonly url: string;
  /** How we sign in there; undefined where a key of the config is all there is. */
  readonly signIn?: object | undefined;
  /** Hides secrets in what the server says. */
  readonly mask?: ((text: string) => string) | undefined;
}

const maxQuotedChars = 200;
const checkKey = "Check the key in the server's headers.";

/** Host and port alone: paths and queries of such addresses often hold keys. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'its address';
}

/** The server answered with a status that is no success. */
export function statusError(place: HttpPlace, status: number, body = '', wwwAuthenticate?: string | null): AppError {
  if (status === 401 || status === 403) {
    return new AppError(
      'server_unauthorized',
      `${place.serverName} at ${hostOf(place.url)} refused us (HTTP ${status}).`,
      {
        fix:
          place.signIn === undefined
            ? checkKey
            : `Sign in (${signInCommand(place.serverName)}), or ${checkKey.toLowerCase()}`,
        data: { status, ...(wwwAuthenticate == null ? {} : { wwwAuthenticate }) },
      },
    );
  }
  const { mask = maskText } = place;
  const quoted = mask(body.slice(0, 20 * maxQuotedChars))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxQuotedChars);
  return new AppError(
    'server_unreachable',
    `${place.serverName} at ${hostOf(place.url)} answered HTTP ${status}${quoted === '' ? '' : `: ${quoted}`}.`,
    { fix: "Check the server's url.", data: { status } },
  );
}

/** No answer came at all. */
export function networkError(place: HttpPlace, error: unknown): AppError {
  const host = hostOf(place.url);
  const { code } = error as NodeJS.ErrnoException;
  return new AppError(
    'server_unreachable',
    `${place.serverName} cannot be reached at ${host}: ${reasonOf(code, error)}.`,
    {
      fix: 'Check that the server runs and that its url is right.',
      cause: error,
    },
  );
}

const nobodyThere: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Whether there is no such host, or nothing that listens: asking in another way changes nothing. */
export function isNobodyThere({ cause }: AppError): boolean {
  return cause instanceof Error && nobodyThere.has((cause as NodeJS.ErrnoException).code);
}

/** Once a session was open and the server does not know it any more. */
export function sessionLost(place: HttpPlace): AppError {
  return new AppError('server_exited', `${place.serverName} at ${hostOf(place.url)} has ended our session.`, {
    fix: 'It is connected again by itself.',
    data: { sessionLost: true },
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there (connection refused)',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was cut',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no way to the host',
};

function reasonOf(code: string | undefined, error: unknown): string {
  return reasons[code ?? ''] ?? errorText(error);
}

/** Is it a name or an address of this machine? As `URL.hostname` spells it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** How a person signs in to this server from a terminal. */
export function signInCommand(serverName: string): string {
  return `tooltray sign-in ${/^[\w.-]+$/.test(serverName) ? serverName : JSON.stringify(serverName)}`;
}
