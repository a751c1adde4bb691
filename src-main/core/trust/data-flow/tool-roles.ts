/**
 * Determines a tool's data-flow roles: reads untrusted text, sends data out. The user's setting is final. Otherwise
 * roles are guessed from the names of server, tool and parameters, and an unknown tool is assumed to read untrusted
 * text. Annotations are claims of the server: they can make a tool a sender, but never prevent it.
 */
import { type JsonObject, objectOrEmpty } from '../../base/json.ts';
import type { DataFlowRole } from '../../config/app-config.ts';

export interface FlowTool {
  /** `server:tool` */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  /** The definition that the server lists. */
  readonly definition: JsonObject;
}

export interface ToolRoles {
  readonly foreign: boolean;
  readonly sends: boolean;
  /** Fetches an address: if only the address leaves, it may be one that was read. */
  readonly fetches: boolean;
  /** Runs its arguments: addresses anywhere in them count. */
  readonly runs: boolean;
  /** Mail or chat: texts name users, and anyone can write what is read there. */
  readonly messages: boolean;
}

/** Resolves roles from the user's settings or by a guess, once per definition. */
export class ToolRoleResolver {
  readonly #said: () => Said;
  #known = new WeakMap<JsonObject, ToolRoles>();
  #for: unknown;

  /** `said`: the user's settings by `server` or `server:tool`; the tool's wins. */
  constructor(said: () => Said) {
    this.#said = said;
  }

  of(tool: FlowTool): ToolRoles {
    const said = this.#said();
    if (said !== this.#for) [this.#known, this.#for] = [new WeakMap(), said];
    const known = this.#known.get(tool.definition);
    if (known !== undefined) return known;
    const guess = guessRoles(tool);
    const word = wordFor(said, tool.id, tool.server);
    const roles =
      word === undefined ? guess : { ...guess, foreign: word.includes('source'), sends: word.includes('destination') };
    this.#known.set(tool.definition, roles);
    return roles;
  }

  /**
   * The roles of sources other than call results: untrusted, unless the user's setting for the tool or server says
   * otherwise.
   */
  forSource(of: string, server: string): Pick<ToolRoles, 'foreign' | 'messages'> {
    const word = wordFor(this.#said(), of, server);
    const messages = splitIdentifier(of).some((kind) => messageWords.has(kind));
    return { foreign: word === undefined || word.includes('source'), messages };
  }
}

type Said = Readonly<Record<string, readonly DataFlowRole[]>>;

function wordFor(said: Said, tool: string, server: string): readonly DataFlowRole[] | undefined {
  return [tool, server].flatMap((name) => (Object.hasOwn(said, name) ? [said[name]] : []))[0];
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

const sendVerbs = words(
  `broadcast charge comment dispatch dm donate email export fax forward invite issue mail message notify order
   pay ping post publish push refund remit reply reserve schedule send share submit sync text transfer tweet upload wire
   withdraw`,
);
const readVerbs = words(
  `browse check compare count describe diff download fetch find get goto grep head inspect is list load look lookup navigate open
   peek preview query read resolve retrieve scrape screenshot scroll search select show stat status summarize tail verify view
   visit watch crawl extract`,
);
const fetchVerbs = words(
  'browse crawl download extract fetch get goto load navigate open preview read retrieve scrape screenshot view visit',
);
const runVerbs = words('bash cmd command eval exec execute powershell run sh shell terminal');
const runParameters = words('cmd code command commands script shell');
const messageWords = words(
  `channel chat conversation discord dm email gmail imap inbox irc mail matrix mattermost message messages outlook signal slack sms
   teams telegram thread whatsapp`,
);

/** Names of parameters that hold the recipient. */
const recipientParameters = words(
  `account addressee attendee attendees bcc beneficiary cc channel channels chat contact contacts conversation destination
   email emails guest guests iban invitee invitees mail member members participant participants payee phone receiver
   recipient recipients room to user users username usernames wallet`,
);
const addressParameters = words('callback domain endpoint host hostname href link site uri url urls webhook website');

const recordWords = words(
  `attendee attendees beneficiary contact contacts guest guests invitee invitees member members participant participants payee
   recipient recipients shared`,
);

/** Whether values under this key, or in results of a tool with this name, are recipients that a record lists. */
export function isRecipientRecord(name: string): boolean {
  return splitIdentifier(name).some((word) => recordWords.has(word));
}

/** Whether the value under these keys is the destination of a call. `address`: of a page or service. */
export function destinationKey(keys: readonly string[]): 'recipient' | 'address' | undefined {
  for (const key of keys) {
    const parts = splitIdentifier(key);
    if (parts.some((part) => addressParameters.has(part))) return 'address';
    if (parts.some((part) => recipientParameters.has(part))) return 'recipient';
  }
  return undefined;
}

function guessRoles({ server, name, definition }: FlowTool): ToolRoles {
  const verbs = splitIdentifier(name);
  const kinds = [...splitIdentifier(server), ...verbs];
  const parameters = Object.keys(objectOrEmpty(objectOrEmpty(definition['inputSchema'])['properties']));
  const hints = objectOrEmpty(definition['annotations']);
  const reads =
    verbs.some((verb) => readVerbs.has(verb)) && !verbs.some((verb) => sendVerbs.has(verb) && verb === verbs[0]);
  const runs =
    verbs.some((verb) => runVerbs.has(verb)) || parameters.some((key) => runParameters.has(key.toLowerCase()));
  const takes = new Set(parameters.map((key) => destinationKey([key])));
  const isOpen = hints['openWorldHint'] === true && hints['readOnlyHint'] !== true;
  const sends =
    runs ||
    takes.has('address') ||
    (!reads && (takes.has('recipient') || verbs.some((verb) => sendVerbs.has(verb)) || isOpen));
  return {
    foreign: true,
    sends,
    fetches: takes.has('address') && verbs.some((verb) => fetchVerbs.has(verb)),
    runs,
    messages: kinds.some((kind) => messageWords.has(kind)),
  };
}

/** Words of a name in lower case: `sendEmail`, `send_email`, `mail.send-email`. */
export function splitIdentifier(name: string): readonly string[] {
  // Fast path: most parameter names are one word, and every parameter of every call is examined.
  if (isLowerCase(name) && name.length <= maxNameLength) return [name];
  return (name.slice(0, maxNameLength).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

const maxNameLength = 200;

function isLowerCase(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < 97 || code > 122) return false;
  }
  return name !== '';
}
