/** Which of the person's variables each server gets; and, as an item of the inbox, the servers that still get all of them unasked. */
import { createHash } from 'node:crypto';
import { isSecretName } from '../base/mask.ts';
import { count } from '../base/wording.ts';
import { markHidden } from '../base/shown-text.ts';
import type { ServerConfig, StdioServerConfig } from '../config/app-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { CarriedEnvironments } from '../servers/launch/carried-environments.ts';
import type { EnvironmentResolver } from '../servers/launch/resolve-environment.ts';
import { diffLine } from '../trust/inbox/diff-lines.ts';
import { listed } from '../trust/inbox/entry-meanings.ts';
import type { InboxSource, PersonsWord } from '../trust/inbox/inbox.ts';
import type { InboxAction, InboxItem, InboxPart, Outcome } from '../trust/inbox/inbox-item.ts';
import type { DecisionHistory } from './decision-history.ts';
import type { PersonEdits } from './person-edits.ts';

/** Names only: what is in a variable is nobody's business here. */
export interface ServerVariables {
  readonly server: string;
  /** `all`: every variable of the login; `unasked`: the same, because nobody has decided yet; `named`: the common ones and those by name. */
  readonly gets: 'all' | 'unasked' | 'named';
  /** Of the person's login and of its own entry. */
  readonly given: readonly string[];
  /** Of the person's login; where it gets all, those that it would not get by name. What looks like a key comes first. */
  readonly withheld: readonly string[];
}

export async function serverVariables(
  servers: readonly ServerConfig[],
  environment: EnvironmentResolver,
  carried: CarriedEnvironments,
): Promise<readonly ServerVariables[]> {
  const started = servers.filter((server) => server.kind === 'stdio');
  return Promise.all(
    started.map(async (server) => {
      const inherited = carried.inherited(server);
      const [now, narrow] = await Promise.all([
        environment.forServer(server.env, inherited),
        environment.forServer(server.env, inherited === 'all' ? [] : inherited),
      ]);
      const gets = inherited !== 'all' ? 'named' : carried.has(server) ? 'unasked' : 'all';
      const withheld = narrow.withheld.toSorted(keysFirst);
      return { server: server.name, gets, given: Object.keys(now.env).toSorted(), withheld } as const;
    }),
  );
}

function keysFirst(one: string, other: string): number {
  return Number(isSecretName(other)) - Number(isSecretName(one)) || (one < other ? -1 : 1);
}

interface EnvironmentSourceParts {
  readonly config: ConfigStore;
  readonly environment: EnvironmentResolver;
  readonly carried: CarriedEnvironments;
  readonly edits: PersonEdits;
  readonly history: DecisionHistory;
}

export function environmentSource({ edits, history, ...parts }: EnvironmentSourceParts): InboxSource {
  return {
    onChange: (listener) => parts.config.changed.on(listener),
    items: () => items(parts),
    decide: (item, word) => decide(item, word, edits, history),
    decided: () => history.all(['environment']),
    undo: ({ id }) => history.takeBack(id, ({ back }) => edits.takeBack(back?.written ?? [])),
  };
}

async function items({
  config,
  environment,
  carried,
}: Pick<EnvironmentSourceParts, 'config' | 'environment' | 'carried'>): Promise<readonly InboxItem[]> {
  const unasked = config.current.servers.filter(
    (server): server is StdioServerConfig => server.kind === 'stdio' && server.enabled && carried.has(server),
  );
  // Mostly there are none, and then the login shell is not asked.
  if (unasked.length === 0) return [];
  const variables = await serverVariables(unasked, environment, carried);
  const losing = variables.filter(({ withheld }) => withheld.length > 0);
  return losing.length === 0 ? [] : [itemOf(losing)];
}

function itemOf(losing: readonly ServerVariables[]): InboxItem {
  const id = createHash('sha256').update(JSON.stringify(losing)).digest('hex').slice(0, 6);
  const names = [...new Set(losing.flatMap(({ withheld }) => withheld))].toSorted(keysFirst);
  const keys = names.filter(isSecretName);
  const among = keys.length === 0 ? '' : `, ${listed(keys.map(markHidden))} among them`;
  const servers = losing.length === 1 ? markHidden(losing[0]?.server ?? '') : `${losing.length} servers`;
  return {
    ...{ id, kind: 'environment', cause: 'environment', at: undefined, until: undefined },
    server: losing.length === 1 ? losing[0]?.server : undefined,
    sentence: `${servers} ${losing.length === 1 ? 'gets' : 'get'} every variable of your login, as before: ${count(names.length, 'variable')} more than programs commonly need${among}.`,
    from: 'Servers that are added from now on get only what programs commonly need and what you name for them.',
    isGrave: false,
    meanings: [],
    parts: partsOf(losing),
    moreParts: 0,
    actions,
  };
}

const actions: readonly InboxAction[] = [
  {
    ...{ id: 'narrow', label: 'Give only what is needed', isRisky: false, isByPart: true },
    meaning:
      'It is started anew without these. If it ends for want of one, it says which, and you can give it that one.',
  },
  {
    ...{ id: 'keep', label: 'Keep giving all', isRisky: true, isByPart: true },
    meaning: 'Whatever it is or becomes can read every one of them.',
  },
];

/** Servers that would lose the same are one part. */
function partsOf(losing: readonly ServerVariables[]): readonly InboxPart[] {
  const groups = Map.groupBy(losing, ({ withheld }) => withheld.join('\n'));
  return [...groups.values()].map((group) => {
    const names = group.map(({ server }) => server);
    const withheld = group[0]?.withheld ?? [];
    return {
      ...{ keys: names, notes: [], added: [], more: 0 },
      title: `Would no longer be given to ${listed(names.map(markHidden))}`,
      lines: withheld.map((name) => ({ ...diffLine('Variable', name, undefined), text: markHidden(name) })),
    };
  });
}

async function decide(
  item: InboxItem,
  { action, by, parts }: PersonsWord,
  edits: PersonEdits,
  history: DecisionHistory,
): Promise<Outcome> {
  const servers = parts ?? item.parts.flatMap(({ keys }) => keys);
  const before = await edits.writtenEntries(servers);
  await edits.setField(servers, 'inheritEnv', () => (action === 'keep' ? 'all' : []));
  const after = await edits.writtenEntries(servers);
  const names = listed(servers.map(markHidden));
  const sentence =
    action === 'keep'
      ? `${names} may have every variable of your login.`
      : `${names} ${servers.length === 1 ? 'gets' : 'get'} only the variables that programs commonly need, and their own.`;
  const written = servers.map(
    (server) => ({ kind: 'entry', server, entry: after.get(server), before: before.get(server) }) as const,
  );
  const undo = 'They are started with what they were given before.';
  const { kind, server } = item;
  return {
    sentence,
    isDone: true,
    undo: await history.add({ kind, by, server, sentence, undo, back: { written } }),
  };
}
