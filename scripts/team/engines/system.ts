/**
 * The system's engines instead of those from npm, for `npm run test:team`: which are requested, whether they are
 * installed, and what to install. Uses Debian's package names; paths may match on other systems.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Environment variable with the names of the requested engines, separated by commas. */
export const enginesVariable = 'TOOLTRAY_SYSTEM_ENGINES';

interface SystemEngine {
  /** Its purpose in a team. */
  readonly what: string;
  /** All required packages, for `apt install`. */
  readonly packages: readonly string[];
  isHere(): boolean;
}

export const systemEngines = {
  postgres: {
    what: 'PostgreSQL',
    packages: ['postgresql'],
    isHere: () => postgresFolder() !== undefined,
  },
  swift: {
    what: 'an S3 store, OpenStack Swift',
    packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'],
    isHere: () =>
      programPath('memcached') !== undefined &&
      spawnSync(swiftPython, ['-c', 'import swift.account, swift.container, swift.obj, swift.proxy'], { cwd: '/' })
        .status === 0 &&
      ['proxy', 'account', 'container', 'object'].every((part) => programPath(`swift-${part}-server`) !== undefined),
  },
  haproxy: { what: 'a balancer, HAProxy', packages: ['haproxy'], isHere: () => programPath('haproxy') !== undefined },
  podman: {
    what: 'what makes the image of a replica and runs it',
    packages: ['podman', 'buildah', 'runc'],
    isHere: () => ['podman', 'buildah', 'runc'].every((program) => programPath(program) !== undefined),
  },
} as const satisfies Readonly<Record<string, SystemEngine>>;

export type SystemEngineName = keyof typeof systemEngines;

/** Whether to use the system's engine. */
export function takesSystem(name: SystemEngineName): boolean {
  return process.env[enginesVariable]?.split(',').includes(name) === true;
}

/** Debian's Python, which has Swift; another one may come first on the PATH. */
export const swiftPython = '/usr/bin/python3';

/** Program folder of the newest PostgreSQL. */
export function postgresFolder(): string | undefined {
  const number = (path: string): number => Number(path.split('/').at(-2));
  return globSync('/usr/lib/postgresql/*/bin')
    .filter((folder) => existsSync(join(folder, 'initdb')))
    .toSorted((one, other) => number(other) - number(one))[0];
}

/** Debian installs some in folders on root's PATH only. */
export function programPath(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(existsSync);
}
