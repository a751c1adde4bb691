/** The result selected for comparison; kept across views until a second one is chosen. */
import { createContext } from 'svelte';
import type { AnswerSource } from './result-source.ts';

export interface Picked {
  readonly title: string;
  readonly source: AnswerSource;
}

export class Comparison {
  picked = $state.raw<Picked>();
}

export const [useComparison, provideComparison] = createContext<Comparison>();
