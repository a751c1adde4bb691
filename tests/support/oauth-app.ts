/**
 * A client app that signs its user in like the SDK's clients: by the server's challenge, with an authorization code,
 * and again if more scopes are needed.
 */
import {
  Client,
  type ClientOptions,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { browseAs } from './oidc-person.ts';

const redirect = 'http://127.0.0.1:9/callback';

export class OAuthApp implements OAuthClientProvider {
  readonly redirectUrl = redirect;
  readonly clientMetadata = {
    client_name: 'an app',
    redirect_uris: [redirect],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
  };
  /** URLs that its user was sent to, in order. */
  readonly visits: URL[] = [];
  kept: OAuthTokens | undefined;
  readonly #person: string;
  readonly #wants: string | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = '';
  #transport: StreamableHTTPClientTransport | undefined;
  #outcome: URL | undefined;

  /** `wants`: the scopes that its user agrees to at first, regardless of the challenge. */
  constructor(person: string, wants?: string) {
    this.#person = person;
    this.#wants = wants;
  }

  /** Signs in if required. */
  async connect(url: string, options: ClientOptions = {}): Promise<Client> {
    const open = async (): Promise<Client> => {
      const client = new Client({ name: 'an app', version: '1' }, options);
      this.#transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: this });
      await client.connect(this.#transport);
      return client;
    };
    return this.signingIn(open);
  }

  /** Runs it; repeats it after a sign-in, if required. */
  async signingIn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || this.#outcome === undefined) throw error;
      await this.#transport?.finishAuth(this.#outcome.searchParams);
      this.#outcome = undefined;
      return await work();
    }
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.kept;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (this.visits.length === 0 && this.#wants !== undefined) url.searchParams.set('scope', this.#wants);
    this.visits.push(url);
    this.#outcome = await browseAs(this.#person, url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}
