/** The S3-compatible store of a team, `--s3 s3://bucket/prefix?endpoint=…&region=…`, with keys from the environment. */
import type { Env } from '../../core/base/app-paths.ts';
import { AppError } from '../../core/base/errors.ts';

export interface S3Config {
  /** Includes the bucket in its path. */
  readonly endpoint: string;
  readonly region: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const keyVariables = { id: 'TOOLTRAY_OBJECTS_KEY_ID', secret: 'TOOLTRAY_OBJECTS_KEY' } as const;
const awsKeyVariables = { id: 'AWS_ACCESS_KEY_ID', secret: 'AWS_SECRET_ACCESS_KEY' } as const;

/** Variables that servers must not inherit if `objects` is configured; AWS keys used for something else stay. */
export function s3Variables(objects: string | undefined, env: Env): readonly string[] {
  const isUsual = objects !== undefined && env[keyVariables.id] === undefined;
  return ['TOOLTRAY_OBJECTS', ...Object.values(keyVariables), ...(isUsual ? Object.values(awsKeyVariables) : [])];
}

const shape = 's3://bucket?endpoint=https://host:port&region=name';

/** Throws AppError `bad_request`, which contains no key. */
export function parseS3Config(text: string, env: Env): S3Config {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || url.hostname === '') throw wrong('--s3 is not an s3:// URL.');
  // Process listings show arguments to other users.
  if (url.username !== '' || url.password !== '') throw wrong('--s3 must not contain an access key.');
  const region = url.searchParams.get('region') ?? 'us-east-1';
  const endpoint = url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw wrong('The endpoint in --s3 is not an HTTP or HTTPS URL.');
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'region' && key !== 'endpoint');
  if (unknown !== undefined) throw wrong(`--s3 has an unknown parameter ${JSON.stringify(unknown)}.`);
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    endpoint: `${endpoint.replace(/\/+$/, '')}/${url.hostname}`,
    region,
    prefix: prefix === '' ? '' : `${prefix}/`,
    ...keys(env),
  };
}

function keys(env: Env): Pick<S3Config, 'accessKeyId' | 'secretAccessKey'> {
  const names = env[keyVariables.id] === undefined ? awsKeyVariables : keyVariables;
  const [id, secret] = [env[names.id], env[names.secret]];
  if (!id || !secret) {
    throw new AppError('bad_request', 'No access key is set for the object store.', {
      fix: 'Set TOOLTRAY_OBJECTS_KEY_ID and TOOLTRAY_OBJECTS_KEY, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    });
  }
  if (names === awsKeyVariables && env['AWS_SESSION_TOKEN'])
    throw new AppError('bad_request', 'Session credentials are not supported for the object store.', {
      fix: 'Use a dedicated access key that is limited to this bucket.',
    });
  return { accessKeyId: id, secretAccessKey: secret };
}

function wrong(message: string): AppError {
  return new AppError('bad_request', message, { fix: `Use ${shape}. Set the access key with environment variables.` });
}
