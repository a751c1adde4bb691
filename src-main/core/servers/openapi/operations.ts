/**
 * Turns the operations of an OpenAPI description into tools. Names and parameters follow FastMCP's conventions: the
 * operationId, else method and path; the members of a JSON body and all parameters side by side.
 * Source: OpenAPI Specification 3.1.1.
 */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../../base/json.ts';
import { References } from './references.ts';

export type ParameterPlace = 'path' | 'query' | 'header';

export interface ApiParameter {
  /** Name of the tool's argument. */
  readonly argument: string;
  /** Name in the request. */
  readonly name: string;
  readonly place: ParameterPlace;
  readonly style: 'plain' | 'deepObject' | 'spaceDelimited' | 'pipeDelimited';
  /** Whether a list is repeated in a query, instead of separated by commas. */
  readonly explode: boolean;
}

export interface ApiBody {
  readonly contentType: string;
  /** The arguments that are members of the body; undefined: the argument `body` is the whole body. */
  readonly members: readonly string[] | undefined;
}

export interface ApiOperation {
  readonly method: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | undefined;
  readonly tool: JsonObject & { readonly name: string };
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
/** Source: FastMCP; longer names do not fit with a server's name before them. */
const maxNameLength = 56;
/** Source: OpenAPI, "Fixed Fields" of parameters: these headers are described elsewhere. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/**
 * `wanted`: names of tools, operationIds, `METHOD /path`, or `tag:NAME`; undefined: all. Throws AppError
 * `config_invalid` for a wanted operation that the description does not have.
 */
export function toOperations(document: JsonObject, wanted: readonly string[] | undefined): readonly ApiOperation[] {
  const reader = new OperationReader(document);
  const all = reader.read();
  if (wanted === undefined) return all.map(({ operation }) => operation);
  const missing = wanted.find((one) => !all.some(({ names }) => names.has(one)));
  if (missing !== undefined) {
    throw new AppError('config_invalid', `The OpenAPI description has no operation ${JSON.stringify(missing)}.`, {
      fix: 'Name operations by operationId, "GET /path", or "tag:NAME" in "operations".',
    });
  }
  return all.flatMap(({ names, operation }) => (wanted.some((one) => names.has(one)) ? [operation] : []));
}

interface NamedOperation {
  /** The texts that choose it. */
  readonly names: ReadonlySet<string>;
  readonly operation: ApiOperation;
}

class OperationReader {
  readonly #document: JsonObject;
  readonly #references: References;
  readonly #names = new Map<string, number>();

  constructor(document: JsonObject) {
    this.#document = document;
    this.#references = new References(document);
  }

  read(): readonly NamedOperation[] {
    return Object.entries(objectOrEmpty(this.#document['paths'])).flatMap(([path, item]) => {
      const place = this.#references.follow(item);
      return methods.flatMap((method) => {
        const found = place[method];
        return isObject(found) ? [this.#operation(method, path, place, found)] : [];
      });
    });
  }

  #operation(method: string, path: string, item: JsonObject, operation: JsonObject): NamedOperation {
    const id = textOrEmpty(operation['operationId']);
    const name = this.#unique(toolName(id === '' ? `${method}_${path}` : (id.split('__')[0] ?? id)));
    const schema = new ArgumentsSchema(this.#references);
    const body = this.#body(operation['requestBody'], schema);
    const parameters = this.#parameters(item, operation, schema);
    const { summary, description, tags } = operation;
    const texts = [summary, description].filter((text) => typeof text === 'string' && text.trim() !== '');
    const tool = {
      name,
      ...(typeof summary === 'string' && { title: summary }),
      description: [...new Set(texts)].join('\n\n') || `${method.toUpperCase()} ${path}`,
      inputSchema: schema.toJson(),
      annotations: annotationsOf(method),
    };
    const tagNames = Array.isArray(tags) ? (tags as unknown[]).map((tag) => `tag:${String(tag)}`) : [];
    return {
      names: new Set([name, id, `${method.toUpperCase()} ${path}`, ...tagNames].filter((one) => one !== '')),
      operation: { method: method.toUpperCase(), path, parameters, body, tool },
    };
  }

  /** Members of a JSON object or a form become arguments of their own. */
  #body(written: unknown, schema: ArgumentsSchema): ApiBody | undefined {
    if (written === undefined) return undefined;
    const body = this.#references.follow(written);
    const content = objectOrEmpty(body['content']);
    const types = Object.keys(content);
    const contentType = types.find((type) => isJsonType(type)) ?? types.find((type) => isFormType(type)) ?? types[0];
    if (contentType === undefined) return undefined;
    const isNeeded = body['required'] === true;
    const declared = this.#references.follow(objectOrEmpty(content[contentType])['schema']);
    const members = objectOrEmpty(declared['properties']);
    const hasMembers = (isJsonType(contentType) || isFormType(contentType)) && Object.keys(members).length > 0;
    if (!hasMembers) {
      const own = isJsonType(contentType) ? objectOrEmpty(content[contentType])['schema'] : undefined;
      schema.add('body', objectOrEmpty(own ?? { type: 'string', description: contentType }), isNeeded);
      return { contentType, members: undefined };
    }
    const required = Array.isArray(declared['required']) ? (declared['required'] as unknown[]) : [];
    for (const [name, member] of Object.entries(members)) {
      // A read-only member occurs in responses alone, so it is not sent.
      if (this.#references.follow(member)['readOnly'] === true) continue;
      schema.add(name, objectOrEmpty(member), isNeeded && required.includes(name));
    }
    return { contentType, members: schema.names };
  }

  #parameters(item: JsonObject, operation: JsonObject, schema: ArgumentsSchema): readonly ApiParameter[] {
    const byKey = new Map<string, JsonObject>();
    for (const list of [item['parameters'], operation['parameters']]) {
      for (const written of Array.isArray(list) ? (list as unknown[]) : []) {
        const one = this.#references.follow(written);
        byKey.set(`${textOrEmpty(one['in'])} ${textOrEmpty(one['name'])}`, one);
      }
    }
    const all = [...byKey.values()].filter(isSent);
    return all.map((one) => {
      const [name, place] = [textOrEmpty(one['name']), one['in'] as ParameterPlace];
      const isAmbiguous = schema.has(name) || all.some((other) => other !== one && other['name'] === name);
      const argument = isAmbiguous ? `${name}__${place}` : name;
      const [media] = Object.values(objectOrEmpty(one['content']));
      const own = objectOrEmpty(one['schema'] ?? objectOrEmpty(media)['schema']);
      const { description } = one;
      schema.add(argument, typeof description === 'string' ? { description, ...own } : own, one['required'] === true);
      return { argument, name, place, style: styleOf(one), explode: one['explode'] !== false && place === 'query' };
    });
  }

  #unique(name: string): string {
    const count = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, count);
    return count === 1 ? name : this.#unique(`${name.slice(0, maxNameLength - 4)}_${count}`);
  }
}

function isSent({ in: place, name }: JsonObject): boolean {
  if (typeof name !== 'string') return false;
  return place === 'path' || place === 'query' || (place === 'header' && !ignoredHeaders.has(name.toLowerCase()));
}

function styleOf({ style, explode }: JsonObject): ApiParameter['style'] {
  if (style === 'deepObject') return 'deepObject';
  return explode !== true && (style === 'spaceDelimited' || style === 'pipeDelimited') ? style : 'plain';
}

/** The input schema of a tool, with the definitions that it refers to. */
class ArgumentsSchema {
  readonly #references: References;
  readonly #properties = new Map<string, unknown>();
  readonly #required: string[] = [];
  readonly #definitions = new Map<string, unknown>();

  constructor(references: References) {
    this.#references = references;
  }

  get names(): readonly string[] {
    return [...this.#properties.keys()];
  }

  has(name: string): boolean {
    return this.#properties.has(name);
  }

  add(name: string, schema: JsonObject, isRequired: boolean): void {
    this.#properties.set(name, this.#references.withDefinitions(schema, this.#definitions));
    if (isRequired) this.#required.push(name);
  }

  toJson(): JsonObject {
    return {
      type: 'object',
      properties: Object.fromEntries(this.#properties),
      ...(this.#required.length > 0 && { required: this.#required }),
      ...(this.#definitions.size > 0 && { $defs: Object.fromEntries(this.#definitions) }),
    };
  }
}

/** Only letters, digits and `_`, as FastMCP names tools. */
function toolName(text: string): string {
  const slug = text.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return slug.slice(0, maxNameLength) || 'operation';
}

function annotationsOf(method: string): JsonObject {
  const isRead = method === 'get' || method === 'head' || method === 'options';
  if (isRead) return { readOnlyHint: true, openWorldHint: true };
  return {
    readOnlyHint: false,
    destructiveHint: method !== 'post',
    idempotentHint: method === 'put' || method === 'delete',
    openWorldHint: true,
  };
}

export function isJsonType(type: string): boolean {
  return /^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(type);
}

export function isFormType(type: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type);
}
