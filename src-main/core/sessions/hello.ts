/** The first line on a connection to the core, and the core's one-line answer to it. */
import { AppError, toAppError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';

/** Version of this exchange; raised only when an old shim could no longer talk to a new core. */
const helloVersion = 1;

export interface Hello {
  readonly token: string;
  /** `session` speaks MCP from the next line on, `control` is the command line talking to the running core. */
  readonly purpose: 'session' | 'control';
  /** The client app's name as `--app` gave it. */
  readonly app: string | undefined;
  /** What `--mode` asked for. */
  readonly mode: string | undefined;
  /** What `--config` asked for, absolute. */
  readonly config: string | undefined;
  /** Folder the client app started the shim in, absolute. */
  readonly cwd: string | undefined;
  readonly pid: number | undefined;
}

/** Reads a hello line. Throws AppError `bad_request` with what is wrong with it. */
export function parseHello(line: string): Hello {
  const hello = parseObject(line);
  if (hello['tooltray'] !== helloVersion) {
    throw badHello(`it says "tooltray": ${JSON.stringify(hello['tooltray'])}, and this core speaks ${helloVersion}`);
  }
  const purpose = hello['purpose'] ?? 'session';
  if (purpose !== 'session' && purpose !== 'control') throw badHello('"purpose" is neither "session" nor "control"');
  const pid = hello['pid'];
  return {
    token: text(hello, 'token') ?? '',
    purpose,
    app: text(hello, 'app'),
    mode: text(hello, 'mode'),
    config: text(hello, 'config'),
    cwd: text(hello, 'cwd'),
    pid: typeof pid === 'number' && Number.isSafeInteger(pid) ? pid : undefined,
  };
}

export function acceptLine(version: string): string {
  return `${JSON.stringify({ tooltray: helloVersion, ok: true, version })}\n`;
}

/** Says why the connection is about to be closed. */
export function refuseLine(error: unknown): string {
  const { code, text } = toAppError(error);
  return `${JSON.stringify({ tooltray: helloVersion, error: text, code })}\n`;
}

export function badHello(reason: string): AppError {
  return new AppError('bad_request', `The first line of this connection is not a hello of Tooltray: ${reason}.`, {
    fix: 'Connect with "tooltray stdio" of the same version as the running Tooltray.',
  });
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw badHello(`it is not JSON (${(cause as Error).message})`);
  }
  if (!isObject(value)) throw badHello('it is not a JSON object');
  return value;
}

function text(hello: Record<string, unknown>, key: string): string | undefined {
  const value = hello[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badHello(`"${key}" is not a string`);
  return value;
}
