/**
 * One turn of a model behind an OpenAI-compatible (`/chat/completions`) or Anthropic-compatible (`/messages`) endpoint.
 * Both are given the same conversation: `{role: 'user', text}`, `{role: 'assistant', text, calls}`, and
 * `{role: 'results', results: [{id, text}]}`.
 */

const defaults = {
  openai: { url: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
  anthropic: { url: 'https://api.anthropic.com/v1', key: 'ANTHROPIC_API_KEY' },
};
const timeoutMs = 300_000;
const maxOutputTokens = 8192;

/** `openai:MODEL` or `anthropic:MODEL`. Throws Error for anything else, or if the variable with the key is not set. */
export function openEndpoint(provider, { url, keyVariable, env = process.env } = {}) {
  const [kind, ...rest] = (provider ?? '').split(':');
  const model = rest.join(':');
  const known = defaults[kind];
  if (known === undefined || model === '')
    throw new Error('Name the model with --model openai:MODEL or --model anthropic:MODEL.');
  const variable = keyVariable ?? known.key;
  const key = env[variable];
  if (key === undefined && url === undefined) throw new Error(`Set ${variable}, or name your own endpoint with --url.`);
  const turn = { openai: openAiTurn, anthropic: anthropicTurn }[kind];
  const base = (url ?? known.url).replace(/\/$/, '');
  return { model, next: (conversation) => turn({ base, key, model, ...conversation }) };
}

/** Resolves with `{text, calls: [{id, name, args}], usage: {input, output}}`. Rejects with Error. */
async function openAiTurn({ base, key, model, system, messages, tools }) {
  const answer = await post(
    `${base}/chat/completions`,
    { ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    {
      model,
      messages: [{ role: 'system', content: system }, ...messages.flatMap(toOpenAi)],
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      })),
    },
  );
  const message = answer.choices?.[0]?.message ?? {};
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    args: parsed(args),
  }));
  const { prompt_tokens: input = 0, completion_tokens: output = 0 } = answer.usage ?? {};
  return { text: message.content ?? '', calls, usage: { input, output } };
}

function toOpenAi({ role, text, calls = [], results = [] }) {
  if (role === 'results') return results.map((one) => ({ role: 'tool', tool_call_id: one.id, content: one.text }));
  const tools = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return [{ role, content: text, ...(tools.length > 0 && { tool_calls: tools }) }];
}

async function anthropicTurn({ base, key, model, system, messages, tools }) {
  const answer = await post(
    `${base}/messages`,
    { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) },
    {
      model,
      max_tokens: maxOutputTokens,
      system,
      messages: messages.map(toAnthropic),
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
    },
  );
  const blocks = answer.content ?? [];
  const { input_tokens: fresh = 0, output_tokens: output = 0 } = answer.usage ?? {};
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = answer.usage ?? {};
  return {
    text: blocks.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n'),
    calls: blocks.flatMap(({ type, id, name, input }) =>
      type === 'tool_use' ? [{ id, name, args: input ?? {} }] : [],
    ),
    usage: { input: fresh + read + written, output },
  };
}

function toAnthropic({ role, text, calls = [], results = [] }) {
  if (role === 'results') {
    const content = results.map((one) => ({ type: 'tool_result', tool_use_id: one.id, content: one.text }));
    return { role: 'user', content };
  }
  const said = text === '' ? [] : [{ type: 'text', text }];
  return {
    role,
    content: [...said, ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))],
  };
}

async function post(url, headers, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${new URL(url).host} responded with HTTP ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** Arguments that are no JSON reach the tool as a text, whose error the model then reads. */
function parsed(text) {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return { arguments: text };
  }
}
