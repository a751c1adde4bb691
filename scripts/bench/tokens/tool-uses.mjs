/**
 * What the typical session of five tool uses does: the tool, arguments that work without a network, and the words in
 * which a model would look for it. `label` keeps sessions on the same servers apart.
 */

const use = (server, tool, query, args) => ({ server, tool, query, args });

export function realUses({ note, files, repository }) {
  return (label) => [
    use('filesystem', 'read_text_file', 'read the text of a file', { path: note }),
    use('filesystem', 'search_files', 'find files by name pattern', { path: files, pattern: '*.txt' }),
    use('git', 'git_status', 'which files changed in a git repository', { path: repository }),
    use('memory', 'create_entities', 'remember a fact about a person', {
      entities: [{ name: `Ada ${label}`, entityType: 'person', observations: ['likes green bottles'] }],
    }),
    use('everything', 'get-sum', 'add two numbers', { a: 20, b: 22 }),
  ];
}

export function eightToolUses() {
  return [
    use('files', 'read_file', 'read the text of a file', { path: 'README.md' }),
    use('files', 'search_files', 'find files by name pattern', { path: 'src', pattern: '**/*.ts' }),
    use('web', 'web_search', 'search the web', { query: 'model context protocol', count: 5 }),
    use('files', 'write_file', 'write a text into a file', { path: 'notes.md', content: 'Found five pages.' }),
    use('web', 'local_search', 'find a restaurant nearby', { query: 'pizza near Central Park' }),
  ];
}
