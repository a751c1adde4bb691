/**
 * Installs and uninstalls in a config file: `node install-many.fixture.ts <file> <journal> <app> <rounds>`; 0 rounds:
 * until killed.
 */
import type { AppError } from '../../../src-main/core/base/errors.ts';
import { ChangeJournal } from '../../../src-main/core/client-apps/change-journal.ts';
import { knownApp } from '../../../src-main/core/client-apps/app-files.ts';
import { installEntry, uninstallEntries } from '../../../src-main/core/client-apps/install.ts';

const [file = '', folder = '', id = '', rounds = '0'] = process.argv.slice(2);
const place = { app: knownApp(id), file };
const journal = new ChangeJournal(folder);
process.stdout.write('ready\n');
for (let round = 0; rounds === '0' || round < Number(rounds); round++) {
  // Several writers use the same entry name: one whose entry was removed by another reports an error.
  await installEntry(place, { command: '/opt/tooltray', args: ['stdio', '--app', id] }, { journal }).catch(
    (error: AppError) => {
      if (error.code !== 'server_not_started') throw error;
    },
  );
  await uninstallEntries(place, journal);
}
