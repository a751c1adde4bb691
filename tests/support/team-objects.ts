/** One S3 store for all tests of a run, started on first use; each test has its own prefix. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { objectsKeys, startObjects } from '../../scripts/team/engines/s3.ts';
import { type S3Config, parseS3Config } from '../../src-main/team/spills/s3-config.ts';
import { engineOnDemand, engineUrl } from './engine-on-demand.ts';

const variable = 'TOOLTRAY_TEST_OBJECTS';

export default function setUp(): Promise<() => Promise<void>> {
  return engineOnDemand(variable, async (folder) => {
    const store = await startObjects({ folder: join(folder, 's3') });
    return { url: store.address, stop: () => store.stop() };
  });
}

/** A separate prefix for the test. */
export async function teamObjects(): Promise<S3Config> {
  return parseS3Config(await teamObjectsAddress(), objectsEnv);
}

/** The same as a value for `--s3`. */
export async function teamObjectsAddress(): Promise<string> {
  return (await engineUrl(variable)).replace('?', `/test_${randomBytes(6).toString('hex')}?`);
}

/** Its access key. */
export const objectsEnv = objectsKeys();
