/** Where Magg's proxy answers say what they hold: read by programs that load nothing else of ours. */

/**
 * What an answer of the proxy tool says about itself: as annotations, which Magg's clients read, and once more in `_meta`,
 * because the MCP SDKs drop annotations they do not know.
 */
export const proxyMetaKey = 'app.tooltray/proxy';
