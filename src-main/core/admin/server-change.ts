/** What can be changed about the configured servers, and which of it only the person may decide. */
import type { JsonObject } from '../base/json.ts';
import type { Hold } from '../config/holds.ts';

export type ServerChange =
  | { readonly kind: 'add'; readonly server: string; readonly entry: JsonObject }
  | { readonly kind: 'remove'; readonly server: string }
  /** A field that is null is taken out; one that is an object (env, headers) is merged into what is there, key by key, alike. */
  | { readonly kind: 'update'; readonly server: string; readonly fields: JsonObject }
  /** `lifts`: what kept it off besides its switch. */
  | { readonly kind: 'enable'; readonly server: string; readonly lifts?: Hold }
  | { readonly kind: 'disable'; readonly server: string };

/** Who asks for a change: a model in a client app's session, through one of our tools. */
export interface ChangeAuthor {
  readonly app: string;
  readonly sessionId: string;
  readonly tool: string;
}

/** Fields that change neither what is launched, nor where it connects, its environment or its trust. */
const harmlessFields: ReadonlySet<string> = new Set([
  'description',
  'lazy',
  'idleStopSeconds',
  'initTimeoutSeconds',
  'callTimeoutSeconds',
  'kits',
]);

/**
 * Whether a change needs the person's word. Switching a server off takes nothing from the person that they cannot see and
 * undo at once; switching one on launches what they switched off.
 */
export function needsPerson(change: ServerChange): boolean {
  if (change.kind === 'disable') return false;
  return change.kind !== 'update' || Object.keys(change.fields).some((field) => !harmlessFields.has(field));
}

const lifting: Readonly<Record<Hold, string>> = {
  quarantine: ', and lift its quarantine',
  isolation: ', and start its command as it is, without the container or sandbox that it asks for',
};

/** The change as a sentence for the person. Values are shown by the caller, masked. */
export function describeChange(change: ServerChange): string {
  switch (change.kind) {
    case 'add':
      return `Add the server "${change.server}".`;
    case 'remove':
      return `Remove the server "${change.server}".`;
    case 'update':
      return `Change ${Object.keys(change.fields).join(', ')} of "${change.server}".`;
    case 'enable':
      return `Switch "${change.server}" on${change.lifts === undefined ? '' : lifting[change.lifts]}.`;
    case 'disable':
      return `Switch "${change.server}" off.`;
  }
}
