/** A server's tool as a model is shown it: at one of four levels, from one line to untouched. */
import { isObject, type JsonObject } from '../base/json.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { leadingSentences } from '../condense/clauses.ts';
import { condenseDescription, condenseLine, withoutFillers } from '../condense/condense-description.ts';
import { condenseSchema } from '../condense/condense-schema.ts';
import { shapeSchema } from '../condense/shape-schema.ts';
import type { AppConfig, CondenseLevel } from '../config/app-config.ts';
import { factsOfApp } from './client-app-facts.ts';
import type { ModeView } from './mode.ts';

/** Longest description at level `lean`, in characters: some sentences. */
const longestLean = 200;

/**
 * What a client app is shown. A file of ToolMux keeps its level, except for apps that load a definition when they need it: there
 * nothing is saved by leaving things out.
 */
export function levelFor(
  { raw, condense, product }: Pick<AppConfig, 'raw' | 'condense' | 'product'>,
  app: string | undefined,
): CondenseLevel {
  if (condense !== undefined) return condense;
  if (raw) return 'full';
  return product === 'toolmux' && !factsOfApp(app).defersTools ? 'toolmux' : 'lean';
}

/** `written`: a short text that somebody wrote for it. */
export function shownTool(
  tool: CatalogEntry,
  { level, shapes = new SchemaShapes() }: Pick<ModeView, 'level' | 'shapes'>,
  written?: string,
): JsonObject {
  return level === 'full' ? wholeTool(tool) : condensedTool(tool, level, shapes, written);
}

/** The same where what the list says must hold for the answer. */
export function callableTool(
  tool: CatalogEntry,
  view: Pick<ModeView, 'level' | 'shapes' | 'spills' | 'handles'>,
  written?: string,
): JsonObject {
  const { outputSchema, ...shown } = shownTool(tool, view, written);
  const { spills, handles } = view;
  // A summary or a handle in place of an answer would not fit what the server promises.
  return outputSchema === undefined || spills === true || handles === true ? shown : { ...shown, outputSchema };
}

/** Every member as the server has it, under the listed name. */
export function wholeTool({ definition, listedName }: CatalogEntry): JsonObject {
  return { ...definition, name: listedName, inputSchema: usableSchema(definition) };
}

type Condensed = Exclude<CondenseLevel, 'full'>;

/** Shaped schemas: a list is written out at each look, and to see whether it has changed. One for each session. */
export class SchemaShapes {
  readonly #known = { shape: new WeakMap<JsonObject, JsonObject>(), lean: new WeakMap<JsonObject, JsonObject>() };

  of(definition: JsonObject, level: 'shape' | 'lean'): JsonObject {
    const known = this.#known[level];
    const schema = known.get(definition) ?? shapeSchema(usableSchema(definition), level === 'lean');
    known.set(definition, schema);
    return schema;
  }
}

/** What a model needs to choose and call; icons, output schema and long texts are what the saving comes from. */
function condensedTool(tool: CatalogEntry, level: Condensed, shapes: SchemaShapes, written?: string): JsonObject {
  const { description, annotations, _meta } = tool.definition;
  const text = written ?? (typeof description === 'string' ? describe[level](description) : undefined);
  return {
    name: tool.listedName,
    ...(text !== undefined && { description: text }),
    inputSchema: schemaAt(tool, level, shapes),
    ...(isObject(annotations) && { annotations }),
    ...(isObject(_meta) && { _meta }),
  };
}

const describe: Readonly<Record<Condensed, (text: string) => string>> = {
  toolmux: (text) => condenseDescription(text),
  shape: (text) => condenseLine(text),
  lean: (text) => leadingSentences(withoutFillers(text), longestLean),
};

function schemaAt({ definition }: CatalogEntry, level: Condensed, shapes: SchemaShapes): JsonObject {
  return level === 'toolmux' ? condenseSchema(usableSchema(definition)) : shapes.of(definition, level);
}
