/** Types of run-task.mjs, for its test. */
import type { Endpoint } from './model-endpoint.mjs';
export interface AgentTools {
  readonly list: readonly { readonly name: string }[];
  readonly instructions: string;
  call(name: string, args: object): Promise<{ text: string; isError: boolean }>;
}
export interface TaskRun {
  readonly turns: number;
  readonly calls: number;
  readonly errors: number;
  readonly usage: { readonly input: number; readonly output: number };
  readonly stopped: string | undefined;
}
export const maxTurns: number;
export function runTask(endpoint: Endpoint, tools: AgentTools, task: string): Promise<TaskRun>;
export function toolsOf(clients: Record<string, object>, options?: { prefix?: boolean }): Promise<AgentTools>;
