/** The beginning of a JSONPath as steps that can be gone through a file, and what follows them. Pure. */

export type PathStep =
  /** A member of a group. */
  | { readonly name: string }
  /** Elements of a list; an end below zero is counted from the last one, undefined is as far as it goes. */
  | { readonly from: number; readonly to: number | undefined; readonly by: number }
  | 'all';

export interface SplitPath {
  readonly steps: readonly PathStep[];
  /** As JSONPath behind `$`; empty where the steps are all of it. */
  readonly rest: string;
}

const word = /^\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)/;
const all = /^(?:\.\*|\[\s*\*\s*\])/;
const quoted = /^\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/;
const index = /^\[\s*(-?\d{1,15})\s*\]/;
const slice = /^\[\s*(-?\d{1,15})?\s*:\s*(-?\d{1,15})?\s*(?::\s*(\d{1,15})?\s*)?\]/;

/** `path` begins with `$`. */
export function splitPath(path: string): SplitPath {
  const steps: PathStep[] = [];
  let rest = path.trim().slice(1);
  for (let found = firstStep(rest); found !== undefined; found = firstStep(rest)) {
    steps.push(found.step);
    rest = rest.slice(found.length).trimStart();
  }
  return { steps, rest };
}

function firstStep(path: string): { readonly step: PathStep; readonly length: number } | undefined {
  const forms: readonly [RegExp, (match: RegExpExecArray) => PathStep | undefined][] = [
    [word, ([, name = '']) => ({ name })],
    [all, () => 'all'],
    [quoted, ([, text = '']) => nameIn(text)],
    [index, ([, at]) => ({ from: Number(at), to: Number(at) === -1 ? undefined : Number(at) + 1, by: 1 })],
    [slice, ([, from, to, by]) => sliceOf(from, to, by)],
  ];
  for (const [form, read] of forms) {
    const match = form.exec(path);
    const step = match === null ? undefined : read(match);
    if (match !== null && step !== undefined) return { step, length: match[0].length };
  }
  return undefined;
}

function sliceOf(from = '0', to: string | undefined, by = '1'): PathStep | undefined {
  if (Number(by) === 0) return undefined;
  return { from: Number(from), to: to === undefined ? undefined : Number(to), by: Number(by) };
}

/** undefined for an escape that only the library knows. */
function nameIn(text: string): PathStep | undefined {
  const inside = text.slice(1, -1);
  const json = text.startsWith('"') ? inside : inside.replaceAll(String.raw`\'`, "'").replaceAll('"', String.raw`\"`);
  try {
    return { name: JSON.parse(`"${json}"`) as string };
  } catch {
    return undefined;
  }
}
