/**
 * One keychain request in a process of its own: the call may wait for a dialog indefinitely, and the core can end it,
 * which is impossible for a thread.
 */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Entry as KeychainEntry } from '@napi-rs/keyring';
import type { KeychainAnswer, KeychainRequest } from './keychain-messages.ts';

type Library = { readonly Entry: typeof KeychainEntry };

const service = 'Tooltray';
const mcpproxy = 'mcpproxy';

process.once('message', (request: KeychainRequest) => {
  const answer = answerTo(request);
  process.send?.(answer, () => process.disconnect());
});

function answerTo(request: KeychainRequest): KeychainAnswer {
  try {
    if (request.act === 'read MCPProxy’s') return { value: readMcpproxy(request.account) };
    // Fixed, because the library would otherwise fall back to the kernel's keyring, which is empty after a restart.
    const entry = new (load().Entry)(service, request.account, { linux: { store: 'secret-service' } });
    if (request.act === 'read') return { value: entry.getPassword() ?? undefined };
    if (request.act === 'write') entry.setPassword(request.value);
    else entry.deletePassword();
    return {};
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Reads go-keyring's format (https://github.com/zalando/go-keyring): on Windows UTF-8 bytes under a target of its own;
 * on macOS an encoded value if `security` would not print it as is.
 */
function readMcpproxy(account: string): string | undefined {
  const { Entry } = load();
  if (process.platform === 'win32') {
    const bytes = Entry.withTarget(`${mcpproxy}:${account}`, mcpproxy, account).getSecret();
    return bytes === null ? undefined : Buffer.from(bytes).toString('utf8');
  }
  const text = new Entry(mcpproxy, account, { linux: { store: 'secret-service' } }).getPassword() ?? undefined;
  const [, how, encoded = ''] = /^go-keyring-(base64|encoded):(.*)$/s.exec(text ?? '') ?? [];
  if (process.platform !== 'darwin' || how === undefined) return text;
  return Buffer.from(encoded, how === 'base64' ? 'base64' : 'hex').toString('utf8');
}

/** Throws if there is none for this system. */
function load(): Library {
  const file = libraryFile();
  if (file === undefined) {
    throw new Error(`Tooltray has no keychain library for ${process.platform} on ${process.arch}`);
  }
  return createRequire(import.meta.url)(file) as Library;
}

/** In the build next to the entry, among the sources in the package. */
function libraryFile(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const start = `keyring.${process.platform}-${process.arch}`;
  const folder = import.meta.url.endsWith('.ts') ? packageFolder(here) : join(here, 'keychain');
  if (folder === undefined || !existsSync(folder)) return undefined;
  const fits = readdirSync(folder).filter((name) => name.startsWith(start) && name.endsWith('.node'));
  // Selects the C library that this Node.js was built with.
  const wanted = isMusl() ? 'musl' : 'gnu';
  const name = fits.find((one) => one.includes(wanted)) ?? fits[0];
  return name === undefined ? undefined : join(folder, name);
}

function packageFolder(here: string): string | undefined {
  const packages = join(here, '../../../../node_modules/@napi-rs');
  const start = `keyring-${process.platform}-${process.arch}`;
  const name = existsSync(packages) ? readdirSync(packages).find((one) => one.startsWith(start)) : undefined;
  return name === undefined ? undefined : join(packages, name);
}

function isMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined;
}
