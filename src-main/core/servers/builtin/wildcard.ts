/** Matches names against `*` and `?` without backtracking further than the last star, so that no pattern is slow. */

/** Case does not matter. `*` also stands for slashes. */
export function matchesWildcard(pattern: string, name: string): boolean {
  const wanted = pattern.toLowerCase();
  const given = name.toLowerCase();
  let at = 0;
  let star = -1;
  let resume = 0;
  let position = 0;
  while (position < given.length) {
    if (wanted[at] === '*') {
      star = at++;
      resume = position;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[position])) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
