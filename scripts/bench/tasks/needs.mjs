/**
 * What the six tasks need of tools: the words in which a model looks for it, by what it knows a tool that will do, and
 * the names of parameters that it must have been shown before it can write the arguments. Servers are those that a task
 * itself names. A wish may go unmet.
 */

/** A tool may be called like its server itself. */
const named = (pattern) => (tool) => pattern.test(ownName(tool)) || pattern.test(withoutColon(tool));

/** Without the server before it, however the mode writes that. */
export function ownName({ name, server }) {
  const own = withoutColon({ name });
  return server !== undefined && own.startsWith(`${server}_`) ? own.slice(server.length + 1) : own;
}

function withoutColon({ name }) {
  return name.slice(name.indexOf(':') + 1);
}

const words = {
  memory: 'create entities and relations in memory',
  inside: 'search text inside files',
  many: 'list a directory, read multiple files',
  commits: 'git log of a file',
  sum: 'add two numbers',
  file: 'read a text file',
  time: 'convert time between time zones',
  write: 'write a file',
};

/**
 * Of all tasks, in their order. That files must be read one by one nobody knows before there is no search inside of
 * them.
 */
export const allQueries = Object.values(words).filter((query) => query !== words.many);

/** A search that looks at names only does not find a word inside. */
const readsNamesOnly = /names? only|not (?:their |the |in )?contents?|files and directories|glob/i;
const looksInside = /\blines?\b|text in|contents?|regex|inside/i;

export const needs = {
  createEntities: {
    query: words.memory,
    server: 'memory',
    fits: named(/^create_entities$/),
    names: ['entities', 'name', 'entityType', 'observations'],
    args: ({ people }) => ({
      entities: [
        { name: people.first, entityType: 'person', observations: ['wrote the first program'] },
        { name: people.second, entityType: 'machine', observations: ['was never built'] },
      ],
    }),
  },
  createRelations: {
    query: words.memory,
    server: 'memory',
    fits: named(/^create_relations$/),
    names: ['relations', 'from', 'to', 'relationType'],
    args: ({ people }) => ({ relations: [{ from: people.first, to: people.second, relationType: people.relation }] }),
  },
  readBack: {
    query: words.memory,
    again: ['read the graph of memory'],
    server: 'memory',
    fits: named(/^(?:read_graph|open_nodes)$/),
    names: [],
    namesOf: (tool) => (ownName(tool) === 'open_nodes' ? ['names'] : []),
    args: ({ people }, tool) => (ownName(tool) === 'open_nodes' ? { names: [people.first, people.second] } : {}),
  },
  searchInside: {
    query: words.inside,
    isWish: true,
    fits: (tool) =>
      /(?:search|grep|find)(?:_text)?(?:_in)?(?:_files?|_contents?)?$/.test(ownName(tool)) &&
      /file|grep/.test(`${ownName(tool)} ${tool.text}`) &&
      !(readsNamesOnly.test(tool.text) && !looksInside.test(tool.text.replace(readsNamesOnly, ''))),
    names: ['path'],
    args: ({ notes, word }, { parameters }) => ({
      path: notes,
      [/\bquery\b/.test(parameters) ? 'query' : 'pattern']: word,
    }),
  },
  listFolder: {
    query: words.many,
    server: 'filesystem',
    fits: named(/^list_(?:directory|files|folder)$/),
    names: ['path'],
    args: ({ notes }) => ({ path: notes }),
  },
  readMany: {
    query: words.many,
    again: ['read multiple files at once'],
    server: 'filesystem',
    fits: named(/^read_multiple_files$/),
    names: ['paths'],
    args: (_material, _tool, paths) => ({ paths }),
  },
  commitsOf: {
    query: words.commits,
    server: 'git',
    fits: named(/^git_log$/),
    names: ['path', 'filePath'],
    args: ({ repository }) => ({ path: repository, filePath: 'config.yml' }),
  },
  sum: {
    query: words.sum,
    server: 'everything',
    fits: (tool) => /^(?:get-sum|add)$/.test(ownName(tool)) && /numbers/.test(tool.text || 'numbers'),
    names: ['a', 'b'],
    args: ({ summands }) => summands,
  },
  readFile: {
    query: words.file,
    server: 'filesystem',
    fits: named(/^read_(?:text_)?file$/),
    names: ['path'],
    args: ({ rows }) => ({ path: rows }),
  },
  convertTime: {
    query: words.time,
    server: 'utils',
    fits: named(/convert_time/),
    names: ['time', 'from', 'to'],
    args: ({ time }) => time,
  },
  writeFile: {
    query: words.write,
    server: 'filesystem',
    fits: named(/^write_file$/),
    names: ['path', 'content'],
    args: ({ results }, _tool, found) => ({ path: results, content: JSON.stringify(found) }),
  },
};
