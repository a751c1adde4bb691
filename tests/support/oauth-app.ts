/** A client app that signs its person in as the SDK's clients do: by what the door says, by code, and again where more rights are needed. */
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
  /** Where its person was sent, in order. */
  readonly visits: URL[] = [];
  kept: OAuthTokens | undefined;
  readonly #person: string;
  readonly #wants: string | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = '';
  #transport: StreamableHTTPClientTransport | undefined;
  #outcome: URL | undefined;

  /** `wants`: the scopes that its person agrees to at first, whatever the door says. */
  constructor(person: string, wants?: string) {
    this.#person = person;
    this.#wants = wants;
  }

  /** Signs in where it is asked to. */
  async connect(url: string, options: ClientOptions = {}): Promise<Client> {
    const open = async (): Promise<Client> => {
      const client = new Client({ name: 'an app', version: '1' }, options);
      this.#transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: this });
      await client.connect(this.#transport);
      return client;
    };
    return this.signingIn(open);
  }

  /** Does it; where it has to sign in for that, once more after. */
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
