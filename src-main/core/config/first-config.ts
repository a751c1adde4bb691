/** The config file of a first run: it works at once and shows how to go on. */

/** JSONC with comments for the person who opens it. */
export const firstConfig = `{
  // How tools are shown to AI apps. "auto": whatever costs each of them least. Or one of
  // proxy, gateway, meta, search, code, dispatch, universal, retrieve.
  "mode": "auto",

  // Your MCP servers. This file is read again whenever you save it.
  "servers": {
    // Comes with Tooltray: time, and files in the folders you list here, such as "~/Documents".
    "utils": { "type": "builtin", "builtin": "utils", "folders": [] },

    // A server that is a program:
    // "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] },
    // A server on the network; \${env:NAME} is replaced by an environment variable:
    // "example": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${env:EXAMPLE_TOKEN}" } },
  }
}
`;
