/** `tooltray import`: brings over servers that client apps have, or a file, after showing which; can be undone. */
import { AppError } from '../core/base/errors.ts';
import { endpointText } from '../core/client-apps/heal-offers.ts';
import type { ImportOffer } from '../core/client-apps/import-offers.ts';
import type { ImportWish } from '../core/client-apps/import-servers.ts';
import { columns } from './columns.ts';
import { confirm, notDone } from './confirm.ts';
import { count } from './count.ts';
import { readOffers } from './import-source.ts';
import { withApps } from './open-cli-apps.ts';
import { oneLine } from './plain-text.ts';
import { paint, printJson, printLines, printProgress } from './print.ts';
import { readProjectFlag } from './project-flag.ts';
import { changeFlags, readFlags, wrongUse } from './read-flags.ts';

const flags = {
  ...changeFlags,
  app: { type: 'string' },
  file: { type: 'string' },
  move: { type: 'boolean' },
  set: { type: 'string', multiple: true },
} as const;

export async function run(args: readonly string[], form: string): Promise<number> {
  const { project, rest } = await readProjectFlag(args);
  const { values, positionals } = readFlags(rest, flags, [0, 1000], form);
  const { file, app, set = [], json = false, move = false, 'dry-run': dryRun = false } = values;
  if (file !== undefined && (app !== undefined || move || project !== undefined))
    throw wrongUse('--file goes with none of --app, --move and --project', form);
  const source = { file, app, set, project };
  return withApps(values.config, async (setup) => {
    const offers = await readOffers(setup, { ...source, dryRun: dryRun || values.yes !== true });
    const wishes = pick(offers, positionals, move);
    if (!json) printLines(offerLines(offers, wishes, move));
    const isIdle = wishes.length === 0 || dryRun;
    const answer = isIdle ? undefined : await confirm(question(wishes.length, move), values.yes);
    if (answer !== true) {
      if (json) printJson({ servers: offers.map(rowOf), added: [] });
      else if (!isIdle) printLines([notDone(answer)]);
      return isIdle ? 0 : 1;
    }
    printProgress('Bringing them over …');
    // A bundle that was only shown until now is unpacked now.
    const final =
      values.yes === true ? wishes : pick(await readOffers(setup, { ...source, dryRun: false }), positionals, move);
    const outcome = await setup.imports.bring(final, move);
    if (json) printJson({ servers: offers.map(rowOf), ...outcome });
    else
      printLines([
        outcome.sentence,
        ...(outcome.undo === undefined ? [] : [`To take it back: tooltray undo ${outcome.undo}`]),
      ]);
    return 0;
  });
}

/** NAME or NAME=NEW; without any, all that are new here. Those that are here already can only be moved. */
function pick(offers: readonly ImportOffer[], names: readonly string[], move: boolean): ImportWish[] {
  const isNew = ({ already }: ImportOffer): boolean => move || already === undefined;
  if (names.length === 0) return offers.filter(isNew).map((offer) => ({ offer, name: offer.name }));
  return names.flatMap((word) => {
    const [name = '', as = name] = word.split(/=(.*)/s, 2);
    const named = offers.filter((offer) => offer.name === name);
    if (named.length > 0) return named.filter(isNew).map((offer) => ({ offer, name: as }));
    const there = [...new Set(offers.map((offer) => offer.name))].join(', ') || 'none';
    throw new AppError('not_found', `No server called "${name}" was found.`, { fix: `There are: ${there}.` });
  });
}

function offerLines(offers: readonly ImportOffer[], wishes: readonly ImportWish[], move: boolean): string[] {
  if (offers.length === 0) return ['No servers were found.'];
  const head = ['', 'SERVER', 'FROM', 'SECRETS', 'STARTS'].map((word) => paint('head', word));
  const rows = offers.map((offer) => {
    const wish = wishes.find((one) => one.offer === offer);
    const { name, app, already, secrets, endpoint } = rowOf(offer);
    const renamed = wish === undefined || wish.name === name ? '' : ` as ${wish.name}`;
    const state = already === undefined ? renamed : ` (here as ${already})`;
    return [
      wish === undefined ? ' ' : '+',
      oneLine(name + state),
      app || '-',
      secrets.join(', ') || '-',
      oneLine(endpoint),
    ];
  });
  // Line by line, for each server that is brought over.
  const left = wishes.flatMap(({ offer }) =>
    offer.losses.map((loss) => `Left behind of ${oneLine(offer.name)}: ${oneLine(loss)}`),
  );
  const moved = new Set(wishes.flatMap(({ offer }) => offer.places.map(({ file }) => file)));
  const notes = move && moved.size > 0 ? ['', `Replaced by Tooltray in: ${[...moved].join(', ')}`] : [];
  const isShared = move && wishes.some(({ offer }) => offer.places.some(({ project }) => project !== undefined));
  if (isShared) notes.push(paint('unsure', sharedWarning));
  return [
    ...columns([head, ...rows]),
    ...(left.length === 0 ? [] : ['', ...left.map((line) => paint('unsure', line))]),
    ...notes,
  ];
}

const sharedWarning =
  'These files belong to the project: others who get it need Tooltray then, and these servers in it. No password and no token is written into them.';

function rowOf({ name, entry, places, sources, losses, secrets, already }: ImportOffer) {
  const app = [...new Set([...places.map((place) => place.app.name), ...sources])].join(', ');
  return { name, app, endpoint: endpointText(entry), secrets, already, losses };
}

function question(servers: number, move: boolean): string {
  return move ? `Move ${count(servers, 'server')} to Tooltray?` : `Add ${count(servers, 'server')}?`;
}
