/** Metadata keys of Magg's proxy results, for programs that load nothing else of Tooltray. */

/**
 * Metadata of a proxy tool's result: as annotations, which Magg's clients read, and again in `_meta`, because the MCP
 * SDKs drop annotations they do not know.
 */
export const proxyMetaKey = 'app.tooltray/proxy';
