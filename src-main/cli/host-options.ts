/** What every command that runs a core reads from its arguments and environment. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '../core/base/errors.ts';
import type { CoreHostOptions } from '../host/core-host.ts';
import packageJson from '../../package.json' with { type: 'json' };

export const version: string = packageJson.version;

const flags = {
  config: { type: 'string' },
  mode: { type: 'string' },
  port: { type: 'string' },
  app: { type: 'string' },
  'no-open': { type: 'boolean' },
  'no-token': { type: 'boolean' },
  background: { type: 'boolean' },
  standalone: { type: 'boolean' },
} as const;

export interface HostArguments {
  readonly config: string | undefined;
  readonly mode: string | undefined;
  readonly port: number | undefined;
  readonly app: string | undefined;
  readonly open: boolean;
  readonly askToken: boolean;
  readonly background: boolean;
}

/** Throws AppError bad_request. */
export function readHostArguments(args: readonly string[]): HostArguments {
  const values = parse(args);
  return {
    config: values.config,
    mode: values.mode,
    port: values.port === undefined ? undefined : readPort(values.port),
    app: values.app,
    open: values['no-open'] !== true,
    askToken: values['no-token'] !== true,
    background: values.background === true,
  };
}

export function hostOptions(args: HostArguments, onStop: () => void): CoreHostOptions {
  const { config: configFile, mode, port, askToken } = args;
  return { env: process.env, version, configFile, mode, port, askToken, onStop, pageRoot: pageRoot() };
}

/** Beside the bundle: this module may lie in dist/ or in dist/chunks/. */
function pageRoot(): string {
  const folder = import.meta.dirname;
  return folder.endsWith('chunks') ? join(folder, '..', 'renderer') : join(folder, 'renderer');
}

function parse(args: readonly string[]): {
  [K in keyof typeof flags]?: (typeof flags)[K]['type'] extends 'string' ? string : boolean;
} {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: false }).values;
  } catch (error) {
    throw new AppError('bad_request', (error as Error).message, { fix: 'See tooltray --help.', cause: error });
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new AppError('bad_request', `--port ${text} is no port.`, {
    fix: 'Give a number from 0 to 65535; 0 takes any free one.',
  });
}
