/** A resource of our own: readable in every mode, listed by the modes that name it. */
import type { JsonObject } from '../base/json.ts';
import { isOurUri } from '../catalog/catalog.ts';
import type { HelperContext } from './mode.ts';

export interface OwnResource {
  /** As listed: `uri` or `uriTemplate`, name, mimeType. */
  readonly definition: JsonObject;
  /** The one content of that URI; undefined where it is not of this resource, or there is nothing. */
  read(uri: string, context: HelperContext): Promise<JsonObject | undefined>;
}

/** The one content of a URI that is ours; undefined for any other. */
export async function readOwnResource(
  resources: readonly OwnResource[],
  uri: string,
  context: HelperContext,
): Promise<JsonObject | undefined> {
  if (!isOurUri(uri)) return undefined;
  for (const resource of resources) {
    const content = await resource.read(uri, context);
    if (content !== undefined) return content;
  }
  return undefined;
}
