/** Types of model.mjs, for tests. */
export const assumptions: Readonly<Record<string, readonly [what: string, usual: number]>>;
export const mostRowsASecond: number;
export const mostUsersACell: number;
export function sizeOf(users: number, given?: Readonly<Record<string, number>>): Readonly<Record<string, number>>;
