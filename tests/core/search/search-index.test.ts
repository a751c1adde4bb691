/** Searches over small catalogs that resemble real ones. */

import { describe, expect, test } from 'vitest';
import { SearchIndex } from '../../../src-main/core/search/search-index.ts';
import type { SearchDocument } from '../../../src-main/core/search/search-document.ts';

function tool(
  server: string,
  name: string,
  description?: string,
  properties: Record<string, unknown> = {},
): SearchDocument {
  const document = { id: `${server}:${name}`, server, name, inputSchema: { type: 'object', properties } };
  return description === undefined ? document : { ...document, description };
}

const catalog: readonly SearchDocument[] = [
  tool('filesystem', 'read_file', 'Read the complete contents of a file. Handles various encodings.', {
    path: { type: 'string' },
  }),
  tool('filesystem', 'write_file', 'Create a new file or overwrite an existing one.', { path: {}, content: {} }),
  tool('filesystem', 'list_directory', 'Get a detailed listing of all files and directories in a path.'),
  tool('github', 'create_issue', 'Create a new issue in a GitHub repository.', {
    title: {},
    body: { description: 'Markdown text' },
  }),
  tool('github', 'list_issues', 'List issues in a repository.', { state: { enum: ['open', 'closed', 'stale'] } }),
  tool('github', 'getCommitStatus', 'Status of one commit.'),
  tool('gitlab', 'create_issue', 'Create a new issue in a project.'),
  tool('db', 'runMySQLQuery', 'Execute a statement against the database and return rows.'),
  tool('weather', 'forecast', '获取指定城市的天气预报。'),
  tool('time', 'get_current_time', 'Get the current time in a timezone.', {
    timezone: { description: 'IANA name, e.g. Europe/Berlin' },
  }),
  tool('fun', '🎲 roll', 'Roll dice.'),
];

function indexOf(documents: readonly SearchDocument[]): SearchIndex {
  const index = new SearchIndex();
  for (const [server, tools] of Map.groupBy(documents, (document) => document.server))
    index.replaceServer(server, tools);
  return index;
}

const index = indexOf(catalog);
const idsFor = (query: string): string[] => index.search(query).hits.map((hit) => hit.id);

describe('the first hit', () => {
  test.each([
    ['a plain question', 'please show me the contents of a file', 'filesystem:read_file'],
    ['other forms of the words', 'listing repositories issue', 'github:list_issues'],
    ['a typed name', 'read_file', 'filesystem:read_file'],
    ['a typed name in another spelling', 'Read-File', 'filesystem:read_file'],
    ['a name within a sentence', 'use create_issue of gitlab with the title "read all files"', 'gitlab:create_issue'],
    ['server__name', 'gitlab__create_issue', 'gitlab:create_issue'],
    ['server_name', 'github_create_issue', 'github:create_issue'],
    ['server:name', 'gitlab:create_issue', 'gitlab:create_issue'],
    ['a server in the question', 'new issue on gitlab', 'gitlab:create_issue'],
    ['a part of a camelCase name', 'commit', 'github:getCommitStatus'],
    ['the joined word of a camelCase name', 'mysql', 'db:runMySQLQuery'],
    ['a name cut short', 'list_direc', 'filesystem:list_directory'],
    ['a word cut short', 'timezo', 'time:get_current_time'],
    ['a typing error', 'forcast', 'weather:forecast'],
    ['two letters swapped', 'databsae', 'db:runMySQLQuery'],
    ['an allowed value of a parameter', 'stale', 'github:list_issues'],
    ['a parameter description', 'berlin', 'time:get_current_time'],
    ['Chinese', '天气', 'weather:forecast'],
    ['one Chinese character', '预', 'weather:forecast'],
    ['an emoji', '🎲', 'fun:🎲 roll'],
  ])('matches %s (%j)', (_, query, id) => {
    expect(idsFor(query)[0]).toBe(id);
  });
});

test('finds nothing for a query without words', () => {
  for (const query of ['', '   ', '?!', '\ud800', 'qqqqxxxx'])
    expect(index.search(query)).toEqual({ total: 0, hits: [] });
});

test('uses stop words only if the query has nothing else', () => {
  expect(idsFor('all of an')).toContain('filesystem:list_directory');
  expect(idsFor('please use the dice')).toEqual(['fun:🎲 roll']);
});

test('counts a repeated word once', () => {
  expect(index.search('issue issue issue').hits).toEqual(index.search('issue').hits);
});

test('counts two forms of a word once', () => {
  expect(index.search('creating creates').hits).toEqual(index.search('creating').hits);
});

test('gives little weight to words common in requests, however rare they are among tools', () => {
  const asked = indexOf([tool('a', 'timer', 'Interesting and helpful.'), tool('b', 'outlook', 'Weather of the week.')]);
  expect(asked.search('something interesting and helpful on weather').hits[0]?.id).toBe('b:outlook');
  expect(asked.search('interesting').hits[0]?.id).toBe('a:timer');
});

describe('a list of queries or wordings', () => {
  const office = indexOf([
    tool('pdf', 'convert_to_pdf', 'Convert a word document to pdf.'),
    tool('charts', 'word_cloud', 'Draw a word cloud.'),
    tool('mail', 'deliver', 'Send a message.'),
  ]);
  const first = (query: string, count: number): string[] =>
    office.search(query, { limit: count }).hits.map((hit) => hit.id);

  test('ranks the tool of each query before tools that share a rare word with one of them', () => {
    const pages = Array.from({ length: 30 }, (_, i) =>
      tool('docs', `page_${i}`, `Send, print or write page ${i} as a message on paper.`),
    );
    const zoo = indexOf([
      tool('zoo', 'zebra_stripes', 'Count the stripes of a zebra.'),
      tool('zoo', 'zebra_herd', 'Follow a zebra herd.'),
      tool('zoo', 'zebra_stable', 'Build a zebra stable.'),
      tool('mail', 'deliver', 'Send a message to people.'),
      tool('printer', 'print', 'Print a page on paper.'),
      ...pages,
    ]);
    const query = 'follow zebra herd, send message to people, print page on paper';
    const top = (text: string): string[] => zoo.search(text, { limit: 3 }).hits.map((hit) => hit.id);
    expect(top(query)).toEqual(['zoo:zebra_herd', 'mail:deliver', 'printer:print']);
    expect(top(query.replaceAll(',', ''))).toEqual(['zoo:zebra_herd', 'mail:deliver', 'zoo:zebra_stable']);
    const two = zoo.search('follow zebra herd, print page', { limit: 2 }).hits;
    expect(two.map(({ id }) => id)).toEqual(['zoo:zebra_herd', 'printer:print']);
  });

  test.each([',', ';', '，', '、', '\n'])('may be separated by %j', (sign) => {
    expect(first(['send message', 'convert to pdf', 'word cloud'].join(sign), 3).toSorted()).toEqual([
      'charts:word_cloud',
      'mail:deliver',
      'pdf:convert_to_pdf',
    ]);
  });

  test('is not assumed for a sentence, a number or a single query', () => {
    const same = (query: string): void => {
      expect(office.search(query).hits).toEqual(office.search(query.replaceAll(/[,;]/g, ' ')).hits);
    };
    same('I have a word document, please convert it to pdf');
    same('Convert the document, and send a message');
    same('convert 1,000 documents');
    same('send message, please');
    same('convert the word document to pdf. Then send it, draw a cloud');
  });

  test('is limited to sixteen parts', () => {
    const many = Array.from({ length: 3_000 }, (_, i) => (i % 2 === 0 ? 'send message' : 'word cloud')).join(', ');
    expect(first(many, 2).toSorted()).toEqual(['charts:word_cloud', 'mail:deliver']);
  });

  test('ranks a tool that is named in full first', () => {
    expect(first('word_cloud, convert document to pdf, export document', 1)).toEqual(['charts:word_cloud']);
  });
});

test('reports which words matched in which field', () => {
  expect(index.search('markdown issue github').hits[0]?.why).toBe(
    'name: issue; server: github; parameter text: markdown',
  );
  expect(index.search('read_file').hits[0]?.why).toBe('exact name; name: read, file');
});

test('filters servers before the limit, and returns the full total', () => {
  const answer = index.search('create new issue', { servers: ['gitlab'], limit: 1 });
  expect(answer.hits.map((hit) => hit.id)).toEqual(['gitlab:create_issue']);
  expect(answer.total).toBe(1);
  expect(index.search('issue', { limit: 1 })).toMatchObject({ total: 3, hits: [{}] });
  expect(index.search('issue', { servers: [] })).toEqual({ total: 0, hits: [] });
  expect(index.search('issue', { limit: 0 })).toEqual({ total: 3, hits: [] });
});

test('finds tools named like object members', () => {
  const odd = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  const oddIndex = indexOf(
    odd.map((name) =>
      tool(
        '__proto__',
        name,
        'x',
        JSON.parse('{"__proto__":{"description":"strange"}}') as object as Record<string, unknown>,
      ),
    ),
  );
  for (const name of odd) expect(oddIndex.search(name).hits[0]?.id).toBe(`__proto__:${name}`);
  expect(oddIndex.search('strange').total).toBe(4);
  expect(oddIndex.suggest('constructro')).toEqual(['__proto__:constructor']);
});

test('finds tools with malformed parts by their other parts', () => {
  const broken = {
    id: 's:ping_host',
    server: 's',
    name: 'ping_host',
    description: 7,
    title: null,
    inputSchema: ['x', { properties: 1 }],
  };
  expect(indexOf([broken as unknown as SearchDocument]).search('ping').total).toBe(1);
});

test('suggests the closest names for a wrong name', () => {
  expect(index.suggest('raed_file')[0]).toBe('filesystem:read_file');
  expect(index.suggest('file_read')[0]).toBe('filesystem:read_file');
  expect(index.suggest('gitlab_create_isue')[0]).toBe('gitlab:create_issue');
  expect(index.suggest('zzz')).toEqual([]);
  expect(index.suggest('')).toEqual([]);
  expect(index.suggest('x'.repeat(100_000))).toEqual([]);
  expect(index.suggest('why does nobody know where that is')).toEqual([]);
});

test('drops the tools of a removed server, and replaces those of a replaced one', () => {
  const changing = indexOf(catalog);
  changing.removeServer('github');
  changing.replaceServer('gitlab', [tool('gitlab', 'merge', 'Merge a branch')]);
  expect(changing.search('issue').total).toBe(0);
  expect(changing.search('merge').hits[0]?.id).toBe('gitlab:merge');
  expect(changing.size).toBe(catalog.length - 3);
});
