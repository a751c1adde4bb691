/**
 * What the six tasks work on: forty notes, a git repository, a JSON file of 9,000 rows; and the answers that are right.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const notes = 40;
const rows = 9000;
/** In bytes: as long as the file of the trials was. */
const sizeOfRows = 694_239;
const word = 'saxifrage';
const noteWithWord = 'note-27.txt';

export class TaskMaterial {
  /** A name that has as many tokens in every run. */
  folder = this.#make(tmpdir(), `tooltray-tasks-${String(process.pid).padStart(6, '0')}`);
  /** What the server `filesystem` may touch. */
  files = this.#make(this.folder, 'files');
  notes = this.#make(this.folder, 'files', 'notes');
  repository = this.#make(this.folder, 'files', 'project');
  rows = join(this.files, 'orders.json');
  results = join(this.files, 'results.json');
  memory = join(this.folder, 'memory.jsonl');
  people = { first: 'Ada Byron', second: 'Analytical Engine', relation: 'designed' };
  word = word;
  summands = { a: 4711, b: 1815 };
  row = { name: 'order 6283' };
  time = { time: '2026-01-15T09:30', from: 'America/New_York', to: 'Asia/Tokyo' };
  /** What the six tasks come to, under the names that the results are written with. */
  right = { note: noteWithWord, commit: '', sum: 6526, row: 0, tokyo: '23:30' };

  constructor() {
    this.#writeNotes();
    this.#writeRows();
    this.right.commit = this.#commit();
  }

  /** As before the first task: what another mode has left is gone. */
  reset() {
    rmSync(this.memory, { force: true });
    rmSync(this.results, { force: true });
  }

  /** The tasks whose result is wrong or missing. */
  wrong() {
    const written = readJson(this.results);
    const keys = Object.keys(this.right).filter((key) => String(written[key]) !== String(this.right[key]));
    return this.#remembers() ? keys : ['memory', ...keys];
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #make(...parts) {
    const folder = join(...parts);
    mkdirSync(folder);
    return folder;
  }

  #writeNotes() {
    for (let at = 1; at <= notes; at++) {
      const name = `note-${String(at).padStart(2, '0')}.txt`;
      const plant = name === noteWithWord ? word : plants[at % plants.length];
      writeFileSync(
        join(this.notes, name),
        `Bed ${at}: ${plant}, watered on day ${(at * 7) % 31}. Cut back in March, feed when it grows, keep out of the wind.\n`,
      );
    }
  }

  /** Pretty-printed, with a list under `rows`; texts are made as long as the whole has to be. */
  #writeRows() {
    const made = Array.from({ length: rows }, (_, at) => ({
      id: 10_000 + ((at * 7919 + 50_230) % 89_989),
      name: `order ${((at * 4001 + 17) % rows) + 1}`,
      note: '',
    }));
    this.right.row = made.find(({ name }) => name === this.row.name).id;
    const missing = sizeOfRows - pretty(made).length;
    for (const [at, row] of made.entries())
      row.note = 'x'.repeat(Math.floor(missing / rows) + (at < missing % rows ? 1 : 0));
    writeFileSync(this.rows, pretty(made));
  }

  /** Five commits, the third of which added config.yml. */
  #commit() {
    const git = (...args) =>
      execFileSync('git', ['-C', this.repository, ...args], { encoding: 'utf8', env: author }).trim();
    git('init', '--quiet', '--initial-branch=main');
    let added = '';
    for (const [at, file] of ['README.md', 'main.js', 'config.yml', 'main.js', 'README.md'].entries()) {
      writeFileSync(join(this.repository, file), `${file}, version ${at}\n`);
      git('add', '.');
      git('commit', '--quiet', '-m', `Step ${at + 1}`);
      if (file === 'config.yml') added = git('rev-parse', 'HEAD');
    }
    return added;
  }

  #remembers() {
    const { first, second, relation } = this.people;
    const lines = readText(this.memory)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const hasEntity = (wanted) => lines.some(({ type, name }) => type === 'entity' && name === wanted);
    const isRelated = lines.some(
      ({ from, to, relationType }) => from === first && to === second && relationType === relation,
    );
    return hasEntity(first) && hasEntity(second) && isRelated;
  }
}

const plants = ['thyme', 'lovage', 'campion', 'woodruff', 'yarrow', 'sorrel', 'betony'];

const who = { NAME: 'Bench', EMAIL: 'bench@example.com', DATE: '2026-01-15T12:00:00Z' };
const author = {
  ...process.env,
  ...Object.fromEntries(
    Object.entries(who).flatMap(([key, value]) => ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${key}`, value])),
  ),
};

function pretty(made) {
  return JSON.stringify({ rows: made }, null, 2);
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readJson(file) {
  try {
    return JSON.parse(readText(file));
  } catch {
    return {};
  }
}
