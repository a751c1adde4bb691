/** What every command that runs a core reads from its arguments and environment. */
import { join, resolve } from 'node:path';
import { AppError } from '../core/base/errors.ts';
import { requireMode } from '../core/modes/choose-mode.ts';
import type { CoreHostOptions } from '../host/core-host.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { readFlags } from './read-flags.ts';

const flags = {
  config: { type: 'string' },
  mode: { type: 'string' },
  port: { type: 'string' },
  app: { type: 'string' },
  'no-open': { type: 'boolean' },
  'no-token': { type: 'boolean' },
  'keep-link': { type: 'boolean' },
  background: { type: 'boolean' },
  standalone: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

export interface HostArguments {
  /** Absolute. */
  readonly config: string | undefined;
  readonly mode: string | undefined;
  readonly port: number | undefined;
  readonly app: string | undefined;
  readonly open: boolean;
  readonly askToken: boolean;
  readonly keepLink: boolean;
  readonly background: boolean;
  readonly json: boolean;
}

/** `form` is how the command is used, for errors. Throws AppError bad_request or mode_unknown. */
export function readHostArguments(args: readonly string[], form = ''): HostArguments {
  const { values } = readFlags(args, flags, [0, 0], form);
  return {
    config: values.config === undefined ? undefined : resolve(values.config),
    mode: checkedMode(values.mode),
    port: values.port === undefined ? undefined : readPort(values.port),
    app: values.app,
    open: values['no-open'] !== true,
    askToken: values['no-token'] !== true,
    keepLink: values['keep-link'] === true,
    background: values.background === true,
    json: values.json === true,
  };
}

export function hostOptions(args: HostArguments, onStop: () => void): CoreHostOptions {
  const { config: configFile, mode, port, askToken, keepLink: keepKey } = args;
  return {
    env: process.env,
    version: packageJson.version,
    configFile,
    mode,
    port,
    askToken,
    keepKey,
    onStop,
    pageRoot: bundleFile('renderer'),
  };
}

/** A file of the bundle, by its name: this module may lie in dist/ or in dist/chunks/. */
export function bundleFile(name: string): string {
  const folder = import.meta.dirname;
  return folder.endsWith('chunks') ? join(folder, '..', name) : join(folder, name);
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new AppError('bad_request', `--port ${text} is no port.`, {
    fix: 'Give a number from 0 to 65535; 0 takes any free one.',
  });
}

/** Throws AppError mode_unknown. */
function checkedMode(name: string | undefined): string | undefined {
  if (name !== undefined) requireMode(name);
  return name;
}
