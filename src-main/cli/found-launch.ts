/** `tooltray add NAME` without a command, as ToolMux has it: a launch of that name that another app or bundle knows, after a yes. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { offerText } from '../core/admin/healing.ts';
import { tryEntry } from '../core/admin/try-entry.ts';
import { AppError } from '../core/base/errors.ts';
import { HealConsents } from '../core/client-apps/heal-consents.ts';
import { type HealOffer, healOffers } from '../core/client-apps/heal-offers.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { findCommand } from '../core/servers/launch/find-command.ts';
import { EnvironmentResolver } from '../core/servers/launch/resolve-environment.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { confirm } from './confirm.ts';
import { cliPaths } from './open-cli-config.ts';
import { oneLine } from './plain-text.ts';
import { printProgress } from './print.ts';
import { withTransports } from './probe-server.ts';

export interface FoundLaunch {
  readonly offer: HealOffer;
  /** The person's answer; undefined: nobody could be asked. True only where it was tried and has tools. */
  readonly agreed: boolean | undefined;
}

/** The best launch, nothing of it run. Rejects with AppError not_found. */
export async function bestLaunch(name: string): Promise<HealOffer> {
  return (await launchesOf(name))[0];
}

/** Asks for each in turn, unless its place was agreed to before, and tries it. Rejects with AppError not_found, server_not_started. */
export async function agreedLaunch(name: string, store: ConfigStore, yes: boolean): Promise<FoundLaunch> {
  const offers = await launchesOf(name);
  const consents = new HealConsents(join(cliPaths().dataDir, 'heal-consents.json'));
  const failures: string[] = [];
  for (const offer of offers) {
    const { source } = offer;
    const isKnown = store.current.heal === 'auto' || (await consents.has(source.id));
    const agreed = isKnown || (await confirm(`${oneLine(offerText(offer))} Use it?`, yes));
    if (agreed === undefined) return { offer, agreed };
    if (!agreed) continue;
    await consents.give(source.id);
    const problem = await problemOf(offer, store);
    if (problem === undefined) return { offer, agreed };
    failures.push(`${source.title}: ${problem}`);
  }
  if (failures.length === 0) return { offer: offers[0], agreed: false };
  throw new AppError('server_not_started', `What was found for ${name} does not work. ${failures.join(' ')}`, {
    fix: howToAdd(name),
  });
}

async function launchesOf(name: string): Promise<readonly [HealOffer, ...HealOffer[]]> {
  const environment = new EnvironmentResolver({ own: process.env });
  const machine = { env: process.env, platform: process.platform, home: homedir() };
  const find = async (command: string, own: Readonly<Record<string, string>>): Promise<string | undefined> =>
    findCommand(command, await environment.resolve(own));
  const [best, ...others] = await healOffers(name, {}, { machine, find });
  if (best !== undefined) return [best, ...others];
  throw new AppError(
    'not_found',
    `No app and no bundle on this machine starts a server called ${JSON.stringify(name)}.`,
    {
      fix: howToAdd(name),
    },
  );
}

/** Why it is no use; undefined where it answers with tools. */
async function problemOf({ entry }: HealOffer, store: ConfigStore): Promise<string | undefined> {
  printProgress('Trying it …');
  const trial = await withTransports(store.current, (transports) =>
    tryEntry(entry, { config: store, transports, version: packageJson.version }),
  );
  if (!trial.ok) return trial.sentence;
  return trial.tools.length === 0 ? 'It answered without tools.' : undefined;
}

function howToAdd(name: string): string {
  return `Say how it is started: tooltray add ${name} COMMAND [ARGS…], or tooltray add ${name} --url URL.`;
}
