/** The answer that somebody has picked to be compared with another: it waits across views until there is one. */
import { createContext } from 'svelte';
import type { AnswerSource } from './answer-source.ts';

export interface Picked {
  readonly title: string;
  readonly source: AnswerSource;
}

export class Comparison {
  picked = $state.raw<Picked>();
}

export const [useComparison, provideComparison] = createContext<Comparison>();
