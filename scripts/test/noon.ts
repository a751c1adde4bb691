/** Sets a time zone in which it is about noon, so that no day ends during the tests. */
import process from 'node:process';

/**
 * For this process and its children, regardless of the computer's time zone.
 * `TOOLTRAY_TEST_ZONE` runs the tests in another one, such as `Asia/Kolkata`. Time zones and midnights
 * have tests of their own.
 */
export function beWhereItIsNoon(): void {
  process.env['TZ'] = process.env['TOOLTRAY_TEST_ZONE'] ?? zoneOfNoon(new Date().getUTCHours());
}

/** `hour`: in UTC. Signs follow POSIX: `Etc/GMT+5` is five hours behind. */
export function zoneOfNoon(hour: number): string {
  const behind = hour - 12;
  return `Etc/GMT${behind < 0 ? '' : '+'}${behind}`;
}
