/** The modes that the six tasks are done in. */
export const taskModes: readonly string[];
