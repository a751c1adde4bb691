/** As an item of the inbox: the servers from before there were boxes, and the one that each could have. Asked once; the answer stands in the entry. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../base/json.ts';
import { cutText, markHidden } from '../base/shown-text.ts';
import type { StdioServerConfig } from '../config/app-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { fieldOfKey } from '../config/dialects/read-entry.ts';
import type { CarriedEnvironments } from '../servers/launch/carried-environments.ts';
import { type ProposedBox, proposedBox } from '../servers/launch/isolation/proposed-box.ts';
import { diffLine } from '../trust/inbox/diff-lines.ts';
import { listed } from '../trust/inbox/entry-meanings.ts';
import type { InboxSource, PersonsWord } from '../trust/inbox/inbox.ts';
import type { InboxAction, InboxItem, InboxPart, Outcome } from '../trust/inbox/inbox-item.ts';
import type { DecisionHistory } from './decision-history.ts';
import type { PersonEdits } from './person-edits.ts';

interface BoxSourceParts {
  readonly config: ConfigStore;
  readonly carried: CarriedEnvironments;
  /** Whether this machine has a sandbox. Never rejects. */
  readonly hasSandbox: () => Promise<boolean>;
  readonly edits: PersonEdits;
  readonly history: DecisionHistory;
}

interface Offer {
  readonly server: StdioServerConfig;
  readonly box: ProposedBox;
}

/** Shown in one item; the others come when these are decided. */
const most = 50;

export function boxSource(parts: BoxSourceParts): InboxSource {
  const { config, edits, history } = parts;
  return {
    onChange: (listener) => config.changed.on(listener),
    items: async () => {
      const offers = await offered(parts);
      return offers.length === 0 ? [] : [itemOf(offers)];
    },
    decide: async (item, word) => decide(item, word, await offered(parts), parts),
    decided: () => history.all(['box']),
    undo: ({ id }) => history.takeBack(id, ({ back }) => edits.takeBack(back?.written ?? [])),
  };
}

/** Those that say nothing of a box themselves: an answer, whichever, is written into the entry. */
async function offered({ config, carried, hasSandbox, edits }: BoxSourceParts): Promise<readonly Offer[]> {
  const plain = config.current.servers.filter(
    (server): server is StdioServerConfig =>
      server.kind === 'stdio' &&
      server.enabled &&
      server.held === undefined &&
      server.isolate === undefined &&
      carried.wasThere(server),
  );
  // Mostly there are none, and then nothing is looked up.
  if (plain.length === 0 || !(await hasSandbox())) return [];
  const written = await edits.writtenEntries(plain.map(({ name }) => name));
  const open = plain.filter(({ name }) => !saysBox(written.get(name) ?? {})).slice(0, most);
  const offers = await Promise.all(
    open.map(async (server): Promise<Offer[]> => {
      const box = await proposedBox(server);
      return box === undefined ? [] : [{ server, box }];
    }),
  );
  return offers.flat();
}

function saysBox(entry: JsonObject): boolean {
  return Object.keys(entry).some((key) => ['isolation', 'sandboxEnabled'].includes(fieldOfKey(key)));
}

function itemOf(offers: readonly Offer[]): InboxItem {
  const about = offers.map(({ server: { name, hash }, box }) => [name, hash, box]);
  const id = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 6);
  const [first] = offers;
  const isOne = offers.length === 1;
  const servers = isOne ? markHidden(first?.server.name ?? '') : `${offers.length} servers`;
  return {
    ...{ id, kind: 'box', cause: 'box', at: undefined, until: undefined },
    server: isOne ? first?.server.name : undefined,
    sentence: `${servers} ${isOne ? 'runs' : 'run'} with your rights, as before, and could run in a box.`,
    from: 'What a model asks to add from now on runs in one. You are asked once; what you leave stays as it is.',
    isGrave: false,
    meanings: [],
    parts: offers.map(partOf),
    moreParts: 0,
    actions,
  };
}

const actions: readonly InboxAction[] = [
  {
    ...{ id: 'confine', label: 'Run in a box', isRisky: false, isByPart: true },
    meaning: 'It is started anew, with what is said above. If it misses something, take it back in the history.',
  },
  {
    ...{ id: 'leave', label: 'Leave as they are', isRisky: true, isByPart: true },
    meaning: 'Whatever you can read, write and reach, they can, whatever they are or become. You are not asked again.',
  },
];

function partOf({ server: { name }, box }: Offer): InboxPart {
  const note = (text: string): InboxPart['notes'][number] => ({ text, isGrave: false });
  const keeps = [
    'its own program',
    ...(box.write ?? []).map((path) => cutText(markHidden(path), 200)),
    ...(box.network ? ['the network'] : []),
  ];
  return {
    ...{ keys: [name], added: [], more: 0 },
    title: `A box for ${markHidden(name)}`,
    notes: [
      note(`Keeps ${listed(keeps, 20)}.`),
      note(
        `Loses ${box.network ? '' : 'the network, '}all of your other files, what it has kept in your home (it gets an empty one of its own), other programs and their sockets.`,
      ),
    ],
    lines: [diffLine('isolation', undefined, box)],
  };
}

async function decide(
  { kind, server }: InboxItem,
  { action, by, parts }: PersonsWord,
  offers: readonly Offer[],
  { edits, history }: BoxSourceParts,
): Promise<Outcome> {
  const meant = offers.filter(({ server: { name } }) => parts?.includes(name) ?? true);
  const names = meant.map(({ server: { name } }) => name);
  const boxes = new Map(meant.map(({ server: { name }, box }) => [name, action === 'confine' ? box : 'none']));
  const before = await edits.writtenEntries(names);
  await edits.setField(names, 'isolation', (name) => boxes.get(name));
  const after = await edits.writtenEntries(names);
  const shown = listed(names.map(markHidden));
  const verb = names.length === 1 ? 'runs' : 'run';
  const sentence =
    action === 'confine' ? `${shown} ${verb} in a box from now on.` : `${shown} ${verb} with your rights, as before.`;
  const written = names.map(
    (name) => ({ kind: 'entry', server: name, entry: after.get(name), before: before.get(name) }) as const,
  );
  const undo = action === 'confine' ? 'They run as they did before.' : 'You are asked again.';
  return {
    sentence,
    isDone: true,
    undo: await history.add({ kind, by, server, sentence, undo, back: { written } }),
  };
}
