/** What was counted, as rows of tables. */

export function listedRow(mode, { tools, listed, instructions }, direct, peer) {
  const together = listed + instructions;
  const all = direct.listed + direct.instructions;
  return {
    mode,
    tools: tools.length,
    'tools/list': listed,
    instructions,
    together,
    'of direct': percent(together / all),
    ...(peer !== undefined && { ToolMux: peer[mode] ?? '' }),
  };
}

/** Answers are much the same in every mode: only what a mode adds to them counts for it. */
export function sessionRow(session, direct) {
  const { name, discovery, calls, results, misses } = session;
  const saved = cost(direct) - cost(session);
  return {
    mode: name,
    listed: session.listed + session.instructions,
    discovery,
    calls,
    'added to answers': results - direct.results,
    together: cost(session) - direct.results,
    saved,
    'saved of direct': percent(saved / (cost(direct) - direct.results)),
    'not found at once': misses,
  };
}

/** Everything that a model reads and writes because of tools. */
export function cost({ listed, instructions, discovery, calls, results }) {
  return listed + instructions + discovery + calls + results;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
