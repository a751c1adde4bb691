/**
 * The tools that cannot work as things stand: utils has no folder, so that what it has for files refuses every call.
 */
import { TaskSession } from './task-session.mjs';

const questions = {
  search_files: ({ notes, word }) => ({ query: word, path: notes }),
  list_directory: ({ notes }) => ({ path: notes }),
  list_files: ({ notes }) => ({ path: notes }),
  read_file: ({ rows }) => ({ path: rows }),
  write_file: ({ folder }) => ({ path: `${folder}/nowhere/new.txt`, content: '' }),
};

/** As `server:tool`; found by calling them. */
export async function deadTools({ shim, env, material }) {
  const session = await TaskSession.open({ shim, env, mode: 'search', log: () => undefined });
  const dead = new Set();
  try {
    for (const [tool, argsOf] of Object.entries(questions)) {
      const { text, isError } = await session.call('call_tool', { name: `utils:${tool}`, arguments: argsOf(material) });
      if (isError && /allowed/.test(text)) dead.add(`utils:${tool}`);
    }
  } finally {
    await session.close();
  }
  return dead;
}
