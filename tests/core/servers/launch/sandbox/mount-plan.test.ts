/** The order of mounts: a writable folder cannot redirect a mount inside it. */
import { expect, test } from 'vitest';
import { type Mount, type Place, planMounts } from '../../../../../src-main/core/servers/launch/sandbox/mount-plan.ts';

const rw = (path: string): Place => ({ path, writable: true });
const ro = (path: string): Place => ({ path, writable: false });
const home: Place = { path: '/home/u', writable: true, source: '/own/homes/x' };

function lines(mounts: readonly Mount[]): string[] {
  return mounts.map((mount) =>
    mount.kind === 'empty'
      ? `empty ${mount.path}`
      : `${mount.writable ? 'rw' : 'ro'} ${mount.path}${mount.source === mount.path ? '' : ` of ${mount.source}`}`,
  );
}

test.each<[string, readonly Place[], readonly string[], readonly string[], readonly string[]]>([
  ['leaves out what another place shows', [rw('/a/b/c'), rw('/a')], [], [], ['rw /a']],
  ['leaves out what is read inside of what is read', [ro('/a/b'), ro('/a')], [], [], ['ro /a']],
  ['takes the writable one of two', [ro('/a'), rw('/a')], [], [], ['rw /a']],
  [
    'pins the folders above what is only read',
    [rw('/a'), ro('/a/b/c/d')],
    [],
    [],
    ['rw /a', 'rw /a/b', 'rw /a/b/c', 'ro /a/b/c/d'],
  ],
  ['pins nothing in what is only read', [ro('/a'), rw('/a/b/c')], [], [], ['ro /a', 'rw /a/b/c']],
  ['pins the folders above what is hidden', [rw('/a')], ['/a/b/c'], [], ['rw /a', 'rw /a/b', 'empty /a/b/c']],
  ['hides only what is shown', [ro('/a')], ['/b', '/a/c', '/a/c/d'], [], ['ro /a', 'empty /a/c']],
  [
    'shows what is its own in what is hidden',
    [rw('/a')],
    ['/a/b'],
    ['/a/b/c/d'],
    ['rw /a', 'empty /a/b', 'ro /a/b/c/d'],
  ],
  [
    'pins in the private home what lies there of it',
    [home, rw('/home/u/x/y')],
    ['/home/u/.ours'],
    ['/home/u/.ours/npm/p'],
    [
      'rw /home/u of /own/homes/x',
      'rw /home/u/x of /own/homes/x/x',
      'rw /home/u/.ours of /own/homes/x/.ours',
      'rw /home/u/x/y',
      'rw /home/u/.ours/npm of /own/homes/x/.ours/npm',
      'ro /home/u/.ours/npm/p',
    ],
  ],
])('%s', (_what, places, hidden, own, expected) => {
  expect(lines(planMounts(places, hidden, own))).toEqual(expected);
});
