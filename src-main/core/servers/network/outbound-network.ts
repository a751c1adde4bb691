/**
 * How this computer reaches the network: trusted certificate authorities, and proxies. Companies configure both, often
 * without variables that a desktop process would see.
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { EnvironmentResolver } from '../launch/resolve-environment.ts';

export type NetworkEnv = Readonly<Record<string, string | undefined>>;

export interface OutboundNetworkOptions {
  /** Our own environment. */
  readonly env: NetworkEnv;
  /** The environment of the user's login; used if our own names no proxy. */
  readonly loginEnv: () => Promise<NetworkEnv>;
  /** The system's proxy for an address in PAC notation: `PROXY host:port; DIRECT`. Used if no environment names one. */
  readonly resolveProxy?: ((url: string) => Promise<string>) | undefined;
  /** PEM file with additional certificate authorities; undefined: none. */
  readonly extraCaFile: () => string | undefined;
  readonly onProblem: (sentence: string) => void;
}

/** How long the system's proxy for a host is cached, in ms, because it may run a PAC script. */
const proxyCacheMs = 30_000;
const maxCachedHosts = 500;

const proxyVariables = /^(?:https?|all)_proxy$/i;
const networkVariables = /^(?:https?|all|no)_proxy$/i;

export class OutboundNetwork {
  readonly #options: OutboundNetworkOptions;
  readonly #proxies = new Map<string, { readonly until: number; readonly env: Promise<NetworkEnv> }>();
  /** Only the proxy variables, because they are read for each request. */
  readonly #own: NetworkEnv;
  #login: Promise<NetworkEnv> | undefined;
  #file: string | undefined;
  #reading: Promise<void> = Promise.resolve();
  #system: Promise<boolean> | undefined;

  constructor(options: OutboundNetworkOptions) {
    this.#options = options;
    this.#own = proxyVariablesOf(options.env);
  }

  /** Variables that Node.js servers read at their start. */
  get serverEnv(): Readonly<Record<string, string>> {
    const file = this.#options.extraCaFile();
    return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file };
  }

  /** Resolves when the authorities in the user's file are trusted. Never rejects. */
  ready(): Promise<void> {
    const file = this.#options.extraCaFile();
    if (file !== this.#file) {
      this.#file = file;
      if (file !== undefined) this.#reading = this.#trustFile(file);
    }
    return this.#reading;
  }

  /**
   * Also trusts the system's certificate authorities. They are read once, and only after a certificate was rejected,
   * because it takes 0.3 s. Resolves to whether this changed anything for a request that had started before.
   */
  trustSystem(): Promise<boolean> {
    this.#system ??= systemCertificates().then(trust, () => false);
    return this.#system;
  }

  /** The proxy variables that apply to an address. Never rejects. */
  async proxyEnv(target: URL): Promise<NetworkEnv> {
    const { loginEnv, resolveProxy } = this.#options;
    if (namesProxy(this.#own)) return this.#own;
    this.#login ??= loginEnv().then(proxyVariablesOf, () => ({}));
    const login = await this.#login;
    if (namesProxy(login) || resolveProxy === undefined) return login;
    const known = this.#proxies.get(target.origin);
    if (known !== undefined && Date.now() < known.until) return known.env;
    const found = resolveProxy(target.origin).then(proxyOf, () => ({}));
    if (this.#proxies.size >= maxCachedHosts) this.#proxies.clear();
    this.#proxies.set(target.origin, { until: Date.now() + proxyCacheMs, env: found });
    return found;
  }

  async #trustFile(file: string): Promise<void> {
    try {
      const found = certificatesIn(await readFile(file, 'utf8'));
      if (found.length === 0) throw new Error('it contains no PEM certificate');
      trust(found);
    } catch (error) {
      this.#options.onProblem(`Invalid certificate authorities in ${file}: ${errorText(error)}`);
    }
  }
}

/** Creates the network from a config. */
export function openNetwork(parts: {
  readonly env: NetworkEnv;
  readonly environment: EnvironmentResolver;
  readonly config: { readonly current: { readonly network: { readonly extraCaFile: string | undefined } } };
  readonly log: Pick<Log, 'warn'>;
  readonly resolveProxy?: OutboundNetworkOptions['resolveProxy'];
}): OutboundNetwork {
  const { env, environment, config, log, resolveProxy } = parts;
  return new OutboundNetwork({
    env,
    resolveProxy,
    loginEnv: () => environment.resolve(),
    extraCaFile: () => config.current.network.extraCaFile,
    onProblem: (sentence) => log.warn(sentence),
  });
}

function proxyVariablesOf(env: NetworkEnv): NetworkEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => networkVariables.test(name)));
}

function namesProxy(env: NetworkEnv): boolean {
  return Object.entries(env).some(([name, value]) => proxyVariables.test(name) && value !== undefined && value !== '');
}

/** The first HTTP proxy of a PAC result. Source: "Proxy Auto-Configuration (PAC) file", MDN. */
export function proxyOf(result: string): NetworkEnv {
  for (const choice of result.split(';')) {
    const [, kind = '', place] = /^\s*(DIRECT|PROXY|HTTPS?)(?:\s+(\S+))?\s*$/i.exec(choice) ?? [];
    if (kind.toUpperCase() === 'DIRECT') return {};
    if (place === undefined) continue;
    const proxy = `${kind.toUpperCase() === 'HTTPS' ? 'https' : 'http'}://${place}`;
    return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  }
  return {};
}

/** Throws the parser's error for a damaged certificate. */
function certificatesIn(text: string): readonly string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return found.map((one) => new X509Certificate(one).toString());
}

/** Adds certificates for the whole process; returns whether one of them is new. */
function trust(certificates: readonly string[]): boolean {
  const before = getCACertificates('default');
  const known = new Set(before.map(spelling));
  const added = certificates.filter((one) => !known.has(spelling(one)));
  if (added.length > 0) setDefaultCACertificates([...before, ...added]);
  return added.length > 0;
}

function spelling(certificate: string): string {
  return certificate.replaceAll(/\s/g, '');
}

/** In a worker thread, because reading the system's store takes long. */
function systemCertificates(): Promise<readonly string[]> {
  const script = `require('node:worker_threads').parentPort.postMessage(require('node:tls').getCACertificates('system'))`;
  const worker = new Worker(script, { eval: true });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended')));
  });
}
