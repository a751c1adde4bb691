/** Metadata keys of Magg's proxy results, in a module without other dependencies. */

/**
 * Metadata of a proxy tool's result: as annotations, which Magg's clients read, and again in `_meta`, because the MCP
 * SDKs drop unknown annotations.
 */
export const proxyMetaKey = 'app.tooltray/proxy';
