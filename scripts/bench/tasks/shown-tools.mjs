/**
 * What a model sees of tools in an answer: `{name, server, text, parameters}`. `parameters` is whatever says what a
 * call needs: a signature, a list of names, or a schema; undefined if nothing does. Reads JSON in any of the shapes
 * that modes have, and lines.
 */

/** All tools that this text offers, in its order. `only`: a name that has no server with it belongs to this one. */
export function toolsIn(text, { only, servers }) {
  const values = jsonIn(text);
  const found = values.length > 0 ? values.flatMap((value) => toolsOf(value, only)) : toolsInLines(text, only);
  return found.map((tool) => ({ ...tool, server: tool.server ?? serverIn(tool.name, servers) }));
}

/** The server that a name begins with. */
export function serverIn(name, servers) {
  const plain = (text) => text.replaceAll('-', '_');
  return servers.find((server) => new RegExp(`^${plain(server)}[:_]`).test(plain(name)));
}

/** Tools in the sentence of a server: `name (text; required: a, b: T) [c?: T], name …`. */
export function toolsInSentence(sentence, server) {
  return splitAtTop(sentence.replace(/^[^:(]*: /, ''))
    .map((part) => {
      const [, name, rest = ''] = /^([\w.-]+)(.*)$/s.exec(part.trim()) ?? [];
      const needs = [...rest.matchAll(/required: (.*)\)|\[(.*)\]/gs)].map(([, must, may]) => must ?? may);
      const isSignature = /^\(/.test(rest) && !rest.startsWith('(Tools');
      return name === undefined
        ? undefined
        : { name, server, text: rest, parameters: isSignature ? rest : needs.join(' ') };
    })
    .filter((tool) => tool !== undefined);
}

/** Whether these names are among what is shown of a tool's parameters; a name that is marked as lossy is not. */
export function showsNames({ parameters }, names) {
  return (
    parameters !== undefined &&
    names.every((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])(?![*?]?~)`).test(parameters))
  );
}

/** JSON values in a text: the whole, or a line each; texts of resources are unwrapped. */
export function jsonIn(text) {
  const whole = parsed(text);
  const values = whole === undefined ? text.split('\n').map(parsed) : [whole];
  return values.filter((value) => typeof value === 'object' && value !== null).flatMap(unwrapped);
}

function unwrapped(value) {
  const inner = value.type === 'resource' ? parsed(value.resource?.text ?? '') : undefined;
  return [inner ?? value];
}

function parsed(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Goes down to whatever has a tool's name; a key above a list of tools is their server. */
function toolsOf(value, server) {
  if (Array.isArray(value)) return value.flatMap((one) => toolsOf(one, server));
  if (typeof value === 'string') return toolsInLines(value, server);
  if (typeof value !== 'object' || value === null) return [];
  const name = value.id ?? value.path ?? value.name ?? (typeof value.tool === 'string' ? value.tool : undefined);
  if (typeof name === 'string' && !Array.isArray(value.tools)) return [toolOf(name, value, server)];
  const own = value.alias ?? value.server ?? value.connection;
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner === 'string') return [];
    const isList =
      key === 'tools' || key === 'results' || key === 'servers' || key === 'result' || key === 'connections';
    return toolsOf(inner, isList ? (typeof own === 'string' ? own : server) : key);
  });
}

function toolOf(name, value, server) {
  const schema = value.inputSchema ?? value.input_schema ?? value.schema;
  const parts = [value.sig ?? value.signature ?? value.parameters?.join?.(', '), schema && JSON.stringify(schema)];
  const said = parts.filter((part) => part !== undefined);
  const parameters = said.length === 0 ? undefined : said.join('\n');
  const connection = value.connection?.alias ?? value.connection;
  const text = value.desc ?? value.description ?? '';
  return { name, server: value.server ?? value.alias ?? connection ?? server, text, parameters, via: value.call_with };
}

/** `- name(a, b?: T): text`, or a heading with lines below it. */
function toolsInLines(text, server) {
  const tools = [];
  for (const line of text.split('\n')) {
    const [, name, rest] =
      /^(?:#+|[-*]|\d+\.)?\s*`?([A-Za-z][\w.-]*(?::[\w.-]+)?)`?((?:\(|:| —| –| -).*|)$/.exec(line) ?? [];
    const isTool = name !== undefined && (/[:_-]/.test(name) || rest.startsWith('('));
    const last = tools.at(-1);
    if (isTool && !/^\s*[-*] `/.test(line)) tools.push({ server, ...lineParts(name, rest) });
    else if (last !== undefined) {
      last.text += `\n${line}`;
      if (/^\s*[-*] /.test(line) || /^\s*[[{(]/.test(line)) last.parameters = `${last.parameters ?? ''}\n${line}`;
    }
  }
  return tools;
}

function lineParts(name, rest) {
  const end = rest.startsWith('(') ? closing(rest) : 0;
  return {
    name,
    parameters: end === 0 ? undefined : rest.slice(0, end),
    text: rest.slice(end).replace(/^[\s:—–-]+/, ''),
  };
}

/** Where the bracket that a text begins with is closed. */
function closing(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if ('([{'.includes(text[at])) depth++;
    if (')]}'.includes(text[at]) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Parts between commas outside of all brackets. */
function splitAtTop(text) {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if ('([{'.includes(letter)) depth++;
    if (')]}'.includes(letter)) depth--;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts;
}
