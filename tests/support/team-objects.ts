/** One S3 store for all tests of a run, started when the first one asks for it; each test has a folder of its own in it. */
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

/** A place in it of the test's own. */
export async function teamObjects(): Promise<S3Config> {
  return parseS3Config(await teamObjectsAddress(), objectsEnv);
}

/** The same as `--s3` takes it. */
export async function teamObjectsAddress(): Promise<string> {
  return (await engineUrl(variable)).replace('?', `/test_${randomBytes(6).toString('hex')}?`);
}

/** Who may write there. */
export const objectsEnv = objectsKeys();
