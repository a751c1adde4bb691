/** What two texts have in common line by line, and what each has alone. Pure. */

export interface DiffRow {
  /** From 1; undefined: this side has nothing here. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Steps that are tried; texts that differ in more lines are told as wholly different between what both ends have in common. */
const mostSteps = 800;

/** Equal lines are in one row, and so are those that stand in place of each other. Pure. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffRow[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const pairs = [
    ...Array.from({ length: head }, (_, at): readonly [number, number] => [at, at]),
    ...common(old, fresh).map(([a, b]): readonly [number, number] => [a + head, b + head]),
    ...Array.from({ length: tail }, (_, at): readonly [number, number] => [
      before.length - tail + at,
      after.length - tail + at,
    ]),
  ];
  return rowsBetween(pairs, before.length, after.length);
}

/** How many rows are no common lines. */
export function differences(rows: readonly DiffRow[], before: readonly string[], after: readonly string[]): number {
  return rows.filter((row) => !isSame(row, before, after)).length;
}

export function isSame({ before: a, after: b }: DiffRow, before: readonly string[], after: readonly string[]): boolean {
  return a !== undefined && b !== undefined && before[a - 1] === after[b - 1];
}

function rowsBetween(pairs: readonly (readonly [number, number])[], before: number, after: number): DiffRow[] {
  const rows: DiffRow[] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...pairs, [before, after] as const]) {
    while (a < nextA || b < nextB) {
      rows.push({ before: a < nextA ? ++a : undefined, after: b < nextB ? ++b : undefined });
    }
    if (a < before && b < after) rows.push({ before: ++a, after: ++b });
  }
  return rows;
}

/** The longest way along equal lines (Myers, "An O(ND) difference algorithm", 1986), as pairs of places. */
function common(old: readonly string[], fresh: readonly string[]): readonly (readonly [number, number])[] {
  const furthest = new Map<number, number>([[1, 0]]);
  const trail: ReadonlyMap<number, number>[] = [];
  const at = (map: ReadonlyMap<number, number>, diagonal: number): number => map.get(diagonal) ?? -1;
  const goesDown = (map: ReadonlyMap<number, number>, step: number, diagonal: number): boolean =>
    diagonal === -step || (diagonal !== step && at(map, diagonal - 1) < at(map, diagonal + 1));
  for (let step = 0; step <= Math.min(mostSteps, old.length + fresh.length); step++) {
    trail.push(new Map(furthest));
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      let x = goesDown(furthest, step, diagonal) ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return wayBack(trail, old.length, fresh.length, goesDown);
    }
  }
  return [];
}

function wayBack(
  trail: readonly ReadonlyMap<number, number>[],
  oldLength: number,
  freshLength: number,
  goesDown: (map: ReadonlyMap<number, number>, step: number, diagonal: number) => boolean,
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let [x, y] = [oldLength, freshLength];
  for (let step = trail.length - 1; step >= 0; step--) {
    const map = trail[step] ?? new Map<number, number>();
    const diagonal = x - y;
    const before = goesDown(map, step, diagonal) ? diagonal + 1 : diagonal - 1;
    const fromX = step === 0 ? 0 : (map.get(before) ?? 0);
    const fromY = step === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY && x > 0 && y > 0) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.toReversed();
}
