/** Removes what killed cores have left in a home: running servers, and drafts of files. */
import { dirname, join } from 'node:path';
import type { AppPaths } from './base/app-paths.ts';
import { removeStaleTempFiles } from './base/atomic-file.ts';
import type { Log } from './base/log.ts';
import { formatCount } from './base/text-format.ts';
import { killOrphanedProcesses } from './servers/launch/child-process-list.ts';

/** Never rejects. The servers hold ports and locks that those of this core need. */
export async function tidyHome({ runDir, dataDir, cacheDir, configFile }: AppPaths, log: Log): Promise<void> {
  const ended = await killOrphanedProcesses(runDir);
  if (ended > 0) log.info(`Stopped servers left by a killed Tooltray: ${formatCount(ended, 'server')}.`);
  const folders = [runDir, dataDir, join(dataDir, 'pins'), cacheDir, join(cacheDir, 'listings'), dirname(configFile)];
  await Promise.all(folders.map((folder) => removeStaleTempFiles(folder)));
}
