/** JSON.rawJSON and JSON.isRawJSON (ECMAScript "JSON.parse source text access"), in V8 since Node 21. */
interface JSON {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
}
