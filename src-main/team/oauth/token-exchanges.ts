/**
 * Exchanges users' tokens for tokens of servers whose entries request it. Source: RFC 8693. Both are kept in memory
 * until they expire, for their user only: a replica that takes over a user gets the original with the next request.
 */
import { HttpFetch, type HttpServerConfig, type TokenExchange, type TokenSource } from '../../core/edition.ts';
import { AppError, errorText } from '../../core/base/errors.ts';
import { Emitter } from '../../core/base/emitter.ts';
import { isObject, tryParseJson, type JsonObject, textOrEmpty } from '../../core/base/json.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';

/** Tokens that expire sooner are not used, in ms; short-lived ones are used for most of their lifetime. */
const renewMarginMs = 10_000;
const marginShare = 0.2;
/** Lifetime of a token whose response states none, in ms. */
const defaultTtlMs = 60_000;
/** Timeout of one exchange, in ms. */
const maxMs = 15_000;
/** Maximum length of a response, in characters. */
const maxResponseBytes = 64 * 1024;

interface CachedToken {
  readonly token: string;
  /** Current time in ms since 1970. */
  readonly until: number;
}

interface StartedParts {
  readonly token: string;
  /** Time in ms since 1970 from which it is renewed. */
  readonly until: number;
}

interface ExchangesOptions {
  /** HTTP_PROXY and similar variables are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's token; undefined for a personal token or after it has ended. */
  readonly subject: (user: string) => string | undefined;
  /** Current time in ms since 1970. */
  readonly now: () => number;
}

export class TokenExchanges {
  readonly onSecretsChanged = new Emitter();
  readonly #options: ExchangesOptions;
  readonly #made = new Map<string, { readonly user: string; readonly source: ExchangedToken }>();
  #opened: HttpFetch | undefined;

  constructor(options: ExchangesOptions) {
    this.#options = options;
  }

  /** Tokens in use, so that they can be masked. */
  get secrets(): readonly string[] {
    return [...this.#made.values()].flatMap(({ source }) => source.token ?? []);
  }

  /** Tokens of this user for a server; `fill`: resolves secrets in its entry. */
  of(
    user: string,
    config: HttpServerConfig,
    exchange: TokenExchange,
    fill: () => Promise<HttpServerConfig>,
  ): TokenSource {
    const key = JSON.stringify([user, config.hash]);
    const known = this.#made.get(key);
    if (known !== undefined) return known.source;
    const { now, subject } = this.#options;
    const source = new ExchangedToken({
      config,
      exchange,
      fill,
      now,
      subject: () => subject(user),
      http: () => this.#http(),
      onToken: () => this.onSecretsChanged.emit(),
    });
    this.#made.set(key, { user, source });
    return source;
  }

  /** Discards all tokens exchanged for the user. */
  forget(user: string): void {
    for (const [key, made] of this.#made) if (made.user === user) this.#made.delete(key);
  }

  close(): void {
    this.#opened?.close();
  }

  #http(): HttpFetch {
    this.#opened ??= new HttpFetch({ env: this.#options.env });
    return this.#opened;
  }
}

interface ExchangedTokenDeps {
  readonly config: HttpServerConfig;
  readonly exchange: TokenExchange;
  readonly fill: () => Promise<HttpServerConfig>;
  readonly subject: () => string | undefined;
  readonly http: () => HttpFetch;
  readonly now: () => number;
  readonly onToken: () => void;
}

class ExchangedToken implements TokenSource {
  readonly serverUrl: string;
  /** The next call retries it, because a new token may have arrived. */
  readonly isExpired = false;
  readonly #parts: ExchangedTokenDeps;
  #started: StartedParts | undefined;
  #making: Promise<string> | undefined;

  constructor(parts: ExchangedTokenDeps) {
    this.#parts = parts;
    this.serverUrl = parts.config.url;
  }

  get token(): string | undefined {
    return this.#started?.token;
  }

  async accessToken(): Promise<string> {
    const started = this.#started;
    if (started !== undefined && this.#parts.now() < started.until) return started.token;
    return this.#make();
  }

  async renew(refused: string | undefined): Promise<string | undefined> {
    if (this.#started !== undefined && this.#started.token !== refused) return this.#started.token;
    return this.#make();
  }

  onUsed(): void {
    // The server's metadata is irrelevant: the token endpoint is in the entry.
  }

  requireScopes(): Promise<void> {
    return Promise.resolve();
  }

  /** Concurrent requests share one exchange. */
  #make(): Promise<string> {
    this.#making ??= this.#exchange()
      .then((token) => {
        this.#started = token;
        this.#parts.onToken();
        return token.token;
      })
      .finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #exchange(): Promise<StartedParts> {
    const { config, fill, now, subject } = this.#parts;
    const given = subject();
    if (given === undefined) {
      throw new AppError(
        'server_unauthorized',
        `${config.name} requires your organization's sign-in, but you used another token or the sign-in has expired.`,
        { fix: 'Sign in from your app. Personal access tokens are not supported for this server.' },
      );
    }
    const { oauth } = await fill();
    const requestedAt = now();
    const answer = await this.#ask(given, oauth ?? config.oauth);
    const token = textOrEmpty(answer['access_token']);
    if (token === '' || textOrEmpty(answer['token_type']).toLowerCase() !== 'bearer')
      throw this.#refusal('the response contains no usable token');
    const { expires_in: seconds } = answer;
    const holdsMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : defaultTtlMs;
    return { token, until: requestedAt + holdsMs - Math.min(renewMarginMs, holdsMs * marginShare) };
  }

  async #ask(subjectToken: string, client: HttpServerConfig['oauth']): Promise<JsonObject> {
    const { config, exchange, http } = this.#parts;
    const { clientId, clientSecret, scopes = [] } = client ?? {};
    const { audience, resource, tokenEndpoint } = exchange;
    const body = new URLSearchParams({
      grant_type: grantType,
      subject_token: subjectToken,
      subject_token_type: accessToken,
      requested_token_type: accessToken,
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(clientId !== undefined && clientSecret === undefined && { client_id: clientId }),
    });
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(clientId !== undefined && clientSecret !== undefined && { authorization: basic(clientId, clientSecret) }),
    };
    const signal = AbortSignal.timeout(maxMs);
    const { fetch } = http();
    const [status, text] = await fetch(tokenEndpoint, { method: 'POST', headers, body: body.toString(), signal })
      .then(async (response) => [response.status, (await response.text()).slice(0, maxResponseBytes)] as const)
      .catch((error: unknown) => {
        const why = `${config.name} is unavailable: the token endpoint ${hostOf(tokenEndpoint)} is unreachable (${errorText(error)}).`;
        throw new AppError('server_unreachable', why, { fix: 'Try again.', cause: error, data: { renewal: true } });
      });
    const answer = tryParseJson(text);
    if (status === 200 && isObject(answer)) return answer;
    const { error, error_description: description } = isObject(answer) ? answer : {};
    const said = [textOrEmpty(error), textOrEmpty(description)].filter((word) => word !== '').join(': ');
    throw this.#refusal(said === '' ? `HTTP ${status}` : said.slice(0, 200));
  }

  #refusal(why: string): AppError {
    const { config, exchange } = this.#parts;
    return new AppError(
      'server_unauthorized',
      `${hostOf(exchange.tokenEndpoint)} rejected the token exchange for ${config.name}: ${why}.`,
      {
        fix: 'Sign in again in your app. If that does not help, ask an administrator to allow token exchange.',
      },
    );
  }
}

/** Source: RFC 6749, section 2.3.1: both are form-encoded first. */
function basic(id: string, secret: string): string {
  const encoded = [id, secret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the token endpoint';
}

/** The latest token of the team's issuer that each user authenticated with on this replica. */
export class SubjectTokens {
  readonly #now: () => number;
  readonly #latest = new Map<string, CachedToken>();

  /** `now`: current time in ms since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get secrets(): readonly string[] {
    return [...this.#latest.values()].map(({ token }) => token);
  }

  /** Returns whether it is a newer one than before: an app may still use an older token. */
  note(user: string, token: string, until: number): boolean {
    if ((this.#latest.get(user)?.until ?? 0) >= until) return false;
    this.#latest.set(user, { token, until });
    return true;
  }

  /** undefined if there is no valid one. */
  read(user: string): string | undefined {
    const { token, until } = this.#latest.get(user) ?? { until: 0 };
    return this.#now() < until ? token : undefined;
  }

  forget(user: string): void {
    this.#latest.delete(user);
  }
}
