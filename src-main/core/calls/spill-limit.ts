/** From which size an answer is kept on disk: the call's own wish, else the tool's, the server's, everyone's, else what suits the app. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { SpillWish } from './call-tool.ts';

export interface SpillLimit {
  readonly toFile: boolean;
  /** In bytes (UTF-8): of the payload where somebody named it, of the whole message where it is the app's; 0: there is none. */
  readonly bytes: number;
  /** Nobody named it: it is what the app would cut. Pictures and sound are told however long they are, and do not count. */
  readonly ofApp: boolean;
}

export function spillLimit(
  settings: ResultSettings,
  tool: CatalogEntry | undefined,
  wish: SpillWish | undefined,
  inlineBytes: number,
): SpillLimit {
  const { threshold, thresholds } = settings;
  const ofTool = tool && (thresholds[tool.id] ?? thresholds[tool.server]);
  const named = wish?.threshold ?? ofTool ?? threshold;
  const toFile = wish?.toFile === true;
  return { toFile, bytes: named ?? inlineBytes, ofApp: !toFile && named === undefined };
}

/** Whether any answer may be replaced by another text at all. */
export function maySpill({ threshold, thresholds, toon }: ResultSettings): boolean {
  return toon || threshold !== 0 || Object.values(thresholds).some((bytes) => bytes > 0);
}
