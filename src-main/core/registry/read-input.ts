/** What an entry of a registry asks of the person, and the texts of its launch with places for their answers. */
import { isObject, type JsonObject, objectOf } from '../base/json.ts';
import { cutText, markHidden } from '../base/shown-text.ts';

/** One field of the form. */
export interface RegistryInput {
  /** Unique among those of its option. */
  readonly id: string;
  /** As the publisher calls it: BRAVE_API_KEY, --port. */
  readonly label: string;
  readonly where: 'variable' | 'argument' | 'runner argument' | 'header' | 'address';
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** It takes several values, a line each. */
  readonly isRepeated: boolean;
  readonly format: 'string' | 'number' | 'boolean' | 'filepath';
  /** What it is unless the person says otherwise; may be empty. */
  readonly default: string;
  readonly placeholder: string;
  /** Only one of these; empty: anything. */
  readonly choices: readonly string[];
}

/** Part of a text: as it stands, or what the person answers. */
export type Piece = string | { readonly input: string };

/** What one value of an entry is made of. */
export interface ReadValue {
  readonly pieces: readonly Piece[];
  readonly inputs: readonly RegistryInput[];
}

type Place = Pick<RegistryInput, 'id' | 'label' | 'where'>;

const formats = ['number', 'boolean', 'filepath'] as const;
const mostChoices = 100;

/** A value with all that belongs to it: `value` with variables in braces, or a field of its own. */
export function readValue(raw: JsonObject, place: Place): ReadValue {
  const value = asText(raw['value']);
  if (value === undefined) return { pieces: [{ input: place.id }], inputs: [readField(raw, place)] };
  return readTemplate(value, objectOf(raw['variables']), place, raw['isSecret'] === true);
}

/** `https://{tenant}.example.com`: a brace that is no variable stays as it is. */
export function readTemplate(value: string, variables: JsonObject, place: Place, isSecret: boolean): ReadValue {
  const inputs: RegistryInput[] = [];
  const pieces = value.split(/(\{[^{}]+\})/).flatMap((part): readonly Piece[] => {
    const name = /^\{([^{}]+)\}$/.exec(part)?.[1];
    const variable = name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (name === undefined || !isObject(variable)) return part === '' ? [] : [part];
    const fixed = asText(variable['value']);
    if (fixed !== undefined) return [fixed];
    const id = `${place.id}/${name}`;
    if (!inputs.some((input) => input.id === id)) {
      const field = readField(variable, { ...place, id, label: name });
      inputs.push({ ...field, isSecret: field.isSecret || isSecret, isRepeated: false });
    }
    return [{ input: id }];
  });
  return { pieces, inputs };
}

function readField(raw: JsonObject, place: Place): RegistryInput {
  const choices = Array.isArray(raw['choices']) ? raw['choices'].flatMap((one) => asText(one) ?? []) : [];
  return {
    ...place,
    label: markHidden(cutText(place.label, 200)),
    description: markHidden(cutText(asText(raw['description']) ?? '', 500)),
    isRequired: raw['isRequired'] === true,
    isSecret: raw['isSecret'] === true,
    isRepeated: raw['isRepeated'] === true,
    format: formats.find((one) => one === raw['format']) ?? 'string',
    default: asText(raw['default']) ?? '',
    placeholder: markHidden(cutText(asText(raw['placeholder']) ?? '', 200)),
    choices: choices.slice(0, mostChoices),
  };
}

/** Publishers write ports and switches unquoted. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}
