/** Types of stdio-client.mjs, for tests. */
export class StdioClient {
  constructor(command: readonly string[], env?: NodeJS.ProcessEnv, name?: string);
  close(): Promise<void>;
}
