/** Parses the inputs that a registry entry asks of the user, and the launch templates for them. */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { truncateText, markInvisible } from '../base/visible-text.ts';

/** One field of the form. */
export interface RegistryInput {
  /** Unique within its option. */
  readonly id: string;
  /** The publisher's name for it: BRAVE_API_KEY, --port. */
  readonly label: string;
  readonly where: 'variable' | 'argument' | 'runner argument' | 'header' | 'address';
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Whether it takes several values, one per line. */
  readonly isRepeated: boolean;
  readonly format: 'string' | 'number' | 'boolean' | 'filepath';
  /** The default; may be empty. */
  readonly default: string;
  readonly placeholder: string;
  /** The permitted values; empty: any. */
  readonly choices: readonly string[];
}

/** Part of a text: literal, or a user's input. */
export type TemplatePart = string | { readonly input: string };

/** The parts of a value in an entry. */
export interface ParsedValue {
  readonly pieces: readonly TemplatePart[];
  readonly inputs: readonly RegistryInput[];
}

type Place = Pick<RegistryInput, 'id' | 'label' | 'where'>;

const formats = ['number', 'boolean', 'filepath'] as const;
const maxChoices = 100;

/** Parses a value: `value` with variables in braces, or an input of its own. */
export function parseValue(raw: JsonObject, place: Place): ParsedValue {
  const value = optionalText(raw['value']);
  if (value === undefined) return { pieces: [{ input: place.id }], inputs: [readField(raw, place)] };
  return parseTemplate(value, objectOrEmpty(raw['variables']), place, raw['isSecret'] === true);
}

/** `https://{tenant}.example.com`: braces without a variable stay unchanged. */
export function parseTemplate(value: string, variables: JsonObject, place: Place, isSecret: boolean): ParsedValue {
  const inputs: RegistryInput[] = [];
  const pieces = value.split(/(\{[^{}]+\})/).flatMap((part): readonly TemplatePart[] => {
    const name = /^\{([^{}]+)\}$/.exec(part)?.[1];
    const variable = name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (name === undefined || !isObject(variable)) return part === '' ? [] : [part];
    const fixed = optionalText(variable['value']);
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
  const choices = Array.isArray(raw['choices']) ? raw['choices'].flatMap((one) => optionalText(one) ?? []) : [];
  return {
    ...place,
    label: markInvisible(truncateText(place.label, 200)),
    description: markInvisible(truncateText(optionalText(raw['description']) ?? '', 500)),
    isRequired: raw['isRequired'] === true,
    isSecret: raw['isSecret'] === true,
    isRepeated: raw['isRepeated'] === true,
    format: formats.find((one) => one === raw['format']) ?? 'string',
    default: optionalText(raw['default']) ?? '',
    placeholder: markInvisible(truncateText(optionalText(raw['placeholder']) ?? '', 200)),
    choices: choices.slice(0, maxChoices),
  };
}

/** Publishers write ports and switches unquoted. */
export function optionalText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}
