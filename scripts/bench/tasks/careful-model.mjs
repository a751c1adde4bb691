/**
 * A model that is honest and careful: it takes the first offered tool that by its shown text does the job, asks for the
 * schema where it was not shown the names that it needs, learns from a refusal, and reads on in a long answer as it is
 * told to.
 */
import { guessed } from './guess.mjs';
import { ownName } from './needs.mjs';
import { readOn } from './reading-on.mjs';

export class CarefulModel {
  #hand;
  #session;
  #material;
  /** Tools that were refused for reasons that will not change, and servers of such. */
  #dead = new Set();
  #deadServers = new Set();
  /** What has been looked for, and what was at the beginning, together. */
  #asked = new Set();
  #together = new Set();
  /** Arguments written without having been shown what they are made of. */
  guesses = 0;

  constructor(hand, session, material) {
    this.#hand = hand;
    this.#session = session;
    this.#material = material;
  }

  get hand() {
    return this.#hand;
  }

  get session() {
    return this.#session;
  }

  get material() {
    return this.#material;
  }

  /** Reads what the mode gives before the first task. */
  async begin(queries) {
    await this.#session.as('searches', async () => {
      await this.#hand.begin();
      if (await this.#hand.lookForAll(queries)) this.#together = new Set(queries);
    });
  }

  /** Does what this need is about; undefined if nothing does and it can be done without. */
  async meet(need, extra) {
    for (;;) {
      const [answer] = (await this.#try([{ need, extra }])) ?? [];
      if (answer === undefined && need.isWish) return undefined;
      if (answer === undefined) throw new Error(`No tool was found: ${need.query}.`);
      if (!this.#isRefused(answer)) return answer;
      this.#giveUp(answer.tool);
    }
  }

  /** Several needs of one task, in their order; together where the mode can. */
  async meetAll(wanted) {
    const answers = await this.#try(wanted.map((need) => ({ need })));
    if (answers === undefined) throw new Error('No tool was found.');
    return answers;
  }

  /** The tools that needs are met with, when it is known what to call them with. Rejects if there is none. */
  async prepare(wanted) {
    const found = await this.#findAll(wanted.map((need) => ({ need })));
    if (found === undefined) throw new Error('No tool was found.');
    await this.#study(found);
    return found.map(({ tool }) => tool);
  }

  /** Goes on in an answer that was kept on disk until `isFound` says that the text has it. */
  readOn(notice, wanted, isFound) {
    return this.#session.as('reading on', () => readOn({ session: this.#session, notice, wanted, isFound }));
  }

  /** As `meet`, for a call that was made in other ways. */
  isRefused(answer, tool) {
    const refused = this.#isRefused(answer);
    if (refused) this.#giveUp(tool);
    return refused;
  }

  async #try(wanted) {
    const found = await this.#findAll(wanted);
    if (found === undefined) return undefined;
    const open = await this.#study(found);
    for (const one of open) await this.#guess(one);
    const calls = found.map(({ need, tool, extra }) => ({ tool, args: need.args(this.#material, tool, extra) }));
    const answers = await this.#hand.together(calls);
    return answers.map((answer, at) => ({ ...answer, tool: calls[at].tool }));
  }

  async #findAll(wanted) {
    const found = [];
    for (const one of wanted) {
      const tool = await this.#find(one.need);
      if (tool === undefined) return undefined;
      found.push({ ...one, tool });
    }
    return found;
  }

  async #find(need) {
    const known = this.#firstFit(need);
    if (known !== undefined || this.#hand.isAllShown) return known;
    for (const query of this.#wordsFor(need)) {
      this.#asked.add(query);
      this.#together.delete(need.query);
      await this.#session.as('searches', () => this.#hand.look(need, query));
      const tool = this.#firstFit(need);
      if (tool !== undefined) return tool;
    }
    return undefined;
  }

  /**
   * What has been looked for in vain is said in other words; what was one of several, alone. A wish is not asked for
   * twice.
   */
  #wordsFor({ query, again = [], isWish }) {
    if (this.#together.has(query)) return again.length > 0 || isWish ? again : [query];
    return [query, ...again].filter((words) => !this.#asked.has(words));
  }

  #firstFit(need) {
    return this.#hand.offered.find((tool) => !this.#isDead(tool) && need.fits(tool));
  }

  /** Looks up what is not shown of these tools, at once where that can be; resolves with those that stay open. */
  async #study(found) {
    const isOpen = ({ need, tool }) => !this.#hand.knows(tool, namesOf(need, tool));
    const open = found.filter(isOpen);
    if (open.length === 0) return [];
    const tools = open.map(({ tool }) => tool);
    this.#session.think(`not shown what ${tools.map(({ name }) => name).join(', ')} take`);
    await this.#session.as('schemas', () => this.#hand.schemas(tools));
    const still = found.filter(isOpen).map(({ tool }) => tool);
    if (still.length > 0) await this.#session.as('schemas', () => this.#hand.wholeSchemas(still));
    return found.filter(isOpen);
  }

  /** A call with arguments that are guessed: its error is what says how they are spelled. */
  async #guess({ need, tool, extra }) {
    this.guesses++;
    this.#session.think(`nothing says what ${tool.name} takes: a guess`);
    const args = guessed(need.args(this.#material, tool, extra), (name) => this.#hand.knows(tool, [name]));
    const { text } = await this.#session.as('errors', () => this.#hand.call(tool, args));
    this.#hand.learn(tool, text);
  }

  /** A reason that another call will not change. */
  #isRefused({ text, isError }) {
    return isError && /No folder is allowed|not allowed|not configured|sign in|quarantined|outside allowed/i.test(text);
  }

  /** What was refused to one tool that works on files will be refused to its server's others. */
  #giveUp(tool) {
    this.#session.think(`refused: nothing more of this kind from ${tool.server ?? tool.name}`);
    this.#dead.add(tool);
    for (const other of this.#hand.offered) if (isOfSameKind(other, tool)) this.#dead.add(other);
    this.#deadServers.add(tool.server);
  }

  #isDead(tool) {
    return this.#dead.has(tool) || (this.#deadServers.has(tool.server) && worksOnFiles(tool));
  }
}

function namesOf(need, tool) {
  return need.namesOf?.(tool) ?? need.names;
}

function isOfSameKind(other, tool) {
  return other.server !== undefined && other.server === tool.server && worksOnFiles(other);
}

function worksOnFiles(tool) {
  return /file|folder|director/.test(ownName(tool));
}
