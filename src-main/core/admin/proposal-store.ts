/** Changes that a model asked for and the person has not decided yet: a small private file, so that a restart loses none. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { type ChangeAuthor, describeChange, type ServerChange } from './server-change.ts';

export interface Proposal {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  readonly author: ChangeAuthor;
  readonly change: ServerChange;
  readonly sentence: string;
  /** Hash of the server's entry when it was proposed: an entry that changed since is not overwritten. */
  readonly baseHash: string | undefined;
}

/** A model that asks for more than this is not asking. */
const maxOpen = 100;

export class ProposalStore {
  readonly #file: string;
  #proposals: Proposal[] | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async all(): Promise<readonly Proposal[]> {
    this.#proposals ??= await this.#read();
    return this.#proposals;
  }

  /** The same change asked for again is the same proposal. Rejects with AppError session_limit when too many are open. */
  async add(change: ServerChange, author: ChangeAuthor, baseHash: string | undefined): Promise<Proposal> {
    const open = await this.all();
    const known = open.find((proposal) => JSON.stringify(proposal.change) === JSON.stringify(change));
    if (known !== undefined) return known;
    if (open.length >= maxOpen) {
      throw new AppError('session_limit', `${maxOpen} proposals are waiting for the person already.`, {
        fix: 'Ask the person to decide on them: tooltray proposals.',
      });
    }
    const id = randomBytes(3).toString('hex');
    const proposal = { id, at: Date.now(), author, change, sentence: describeChange(change), baseHash };
    await this.#write([...open, proposal]);
    return proposal;
  }

  /** Takes a proposal out. Rejects with AppError not_found. */
  async take(id: string): Promise<Proposal> {
    const open = await this.all();
    const proposal = open.find((one) => one.id === id);
    if (proposal === undefined) {
      const fix = open.length === 0 ? 'None is waiting.' : `Waiting: ${open.map((one) => one.id).join(', ')}.`;
      throw new AppError('not_found', `There is no proposal ${id}.`, { fix });
    }
    await this.#write(open.filter((one) => one !== proposal));
    return proposal;
  }

  async #read(): Promise<Proposal[]> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      return Array.isArray(value) ? (value as unknown[]).filter(isProposal) : [];
    } catch {
      return [];
    }
  }

  async #write(proposals: Proposal[]): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await writeFileAtomic(this.#file, JSON.stringify(proposals, null, 2), { mode: 0o600 });
    this.#proposals = proposals;
  }
}

function isProposal(value: unknown): value is Proposal {
  return isObject(value) && typeof value['id'] === 'string' && isObject(value['change']) && isObject(value['author']);
}
