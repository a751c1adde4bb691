/** A connection that goes in the middle of a transaction is an error of that transaction, and no end of the process (scripts/mended-postgres.ts). */
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src-main/team/database/database.ts';
import { teamDatabase } from '../../support/team-database.ts';

test('a transaction whose connection was ended rejects, and the next query has another one', async () => {
  const url = await teamDatabase();
  const [sql, owner] = [connect({ url, most: 1 }), connect({ url, most: 1 })];
  onTestFinished(() => Promise.all([sql.end(), owner.end()]).then(() => undefined));
  for (let time = 0; time < 3; time++) {
    const lost = sql.begin(async (work) => {
      const [row] = await work<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await owner`SELECT pg_terminate_backend(${row?.pid ?? 0}, 5000)`;
      // As a transaction does that hears of it late: its ROLLBACK goes out on a connection that is not there.
      await work`SELECT 1`.catch(() => undefined);
      await work`SELECT 2`;
    });
    await expect(lost).rejects.toMatchObject({
      code: expect.stringMatching(/^(CONNECTION_|57P01|ECONN|EPIPE)/) as string,
    });
    expect([...(await sql`SELECT 3 AS three`)]).toEqual([{ three: 3 }]);
  }
});
