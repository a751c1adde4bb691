/** A name as an error repeats it: what a model wrote can be of any length, and it has read it already. */

const longest = 120;

export function shortName(name: string): string {
  return name.length <= longest ? name : `${name.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}
