/**
 * Where the tests are: in a zone in which it is about noon, so that no day ends while they run, at whatever hour that
 * is.
 */
import process from 'node:process';

/**
 * For this process and all that it starts, wherever the machine is: images of CI name zones of their own.
 * `TOOLTRAY_TEST_ZONE` is for who wants to see the tests at another hour, say `Asia/Kolkata`. Zones and their midnights
 * have tests of their own.
 */
export function beWhereItIsNoon(): void {
  process.env['TZ'] = process.env['TOOLTRAY_TEST_ZONE'] ?? zoneOfNoon(new Date().getUTCHours());
}

/** `hour`: of UTC. Signs are those of POSIX: `Etc/GMT+5` is five hours behind. */
export function zoneOfNoon(hour: number): string {
  const behind = hour - 12;
  return `Etc/GMT${behind < 0 ? '' : '+'}${behind}`;
}
