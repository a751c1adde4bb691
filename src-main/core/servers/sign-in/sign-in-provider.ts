/** What the SDK's OAuth client is told, and where it keeps things, while one person signs in to one server. */
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { OAuthClient } from '../../config/app-config.ts';
import type { Grant, Registration } from './sign-in-store.ts';

export interface SignInProviderOptions {
  readonly redirectUrl: string;
  readonly state: string;
  /** Of an earlier sign-in; it is of use only with the very same redirect address. */
  readonly registration: Registration | undefined;
  /** Who we are there, where the person registered us by hand. */
  readonly client?: OAuthClient | undefined;
  readonly saveRegistration: (registration: Registration) => Promise<void>;
  readonly saveGrant: (grant: Grant) => Promise<void>;
}

/** The code verifier and what was discovered live as long as the callback listener: in memory, not on disk. */
export class SignInProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  /** Where the person is to be sent, once the SDK knows. */
  authorizationUrl: URL | undefined;
  readonly #options: SignInProviderOptions;
  #client: StoredOAuthClientInformation | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  constructor(options: SignInProviderOptions) {
    const { registration, redirectUrl, client } = options;
    this.#options = options;
    this.redirectUrl = redirectUrl;
    this.#client =
      staticClient(client) ?? (registration?.redirectUrl === redirectUrl ? registration.client : undefined);
  }

  get clientMetadata(): OAuthClientMetadata {
    const scopes = this.#options.client?.scopes ?? [];
    return {
      client_name: 'Tooltray',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A program on a person's machine cannot keep a secret from that person (RFC 8252).
      token_endpoint_auth_method: 'none',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    };
  }

  state(): string {
    return this.#options.state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    this.#client = client;
    await this.#options.saveRegistration({ client, redirectUrl: this.redirectUrl });
  }

  /** None: whoever signs in wants a new grant, whatever the old one was. */
  tokens(): undefined {
    return undefined;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    if (this.#client === undefined || this.#discovery === undefined)
      throw new Error('Tokens came before the sign-in began.');
    await this.#options.saveGrant({ tokens, client: this.#client, discovery: this.#discovery });
  }

  redirectToAuthorization(url: URL): void {
    for (const [name, value] of Object.entries(this.#options.client?.extraParams ?? {}))
      url.searchParams.set(name, value);
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  /** The authorization server does not know our registration any more. */
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    // One that was registered by hand is the only one there is.
    if (scope === 'all' || scope === 'client') this.#client = staticClient(this.#options.client);
  }
}

function staticClient(client: OAuthClient | undefined): StoredOAuthClientInformation | undefined {
  if (client?.clientId === undefined) return undefined;
  const { clientId: client_id, clientSecret } = client;
  return { client_id, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}
