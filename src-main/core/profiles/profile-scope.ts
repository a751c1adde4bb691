/** What a profile lets through: servers by name, tools by name and by what their servers say of them. Whatever is not said is not let through. */
import { type JsonObject, objectOf } from '../base/json.ts';
import type { AppConfig, Profile } from '../config/app-config.ts';

export interface ProfileScope {
  hasServer(server: string): boolean;
  /** `definition`: the tool as its server has it. */
  hasTool(server: string, definition: JsonObject): boolean;
}

/** As the config says it at each question. A profile that is gone lets nothing through. */
export function scopeOf(profile: string, config: () => AppConfig): ProfileScope {
  const now = (): Profile | undefined => findProfile(config(), profile);
  const hasServer = (server: string): boolean => {
    const found = now();
    return found !== undefined && (found.servers?.includes(server) ?? true);
  };
  return {
    hasServer,
    hasTool: (server, definition) => {
      const found = now();
      return found !== undefined && hasServer(server) && allows(found, server, definition);
    },
  };
}

export function findProfile({ profiles }: Pick<AppConfig, 'profiles'>, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The profile that an app is held to; one that it is held to goes before one that it asks for. */
export function profileFor(
  { appProfiles }: Pick<AppConfig, 'appProfiles'>,
  app: string | undefined,
  asked: string | undefined,
): string | undefined {
  return app !== undefined && Object.hasOwn(appProfiles, app) ? appProfiles[app] : asked;
}

/** A hint that is missing is taken for the worse, as MCP has it: it writes, destroys, and reaches the open world. */
function allows({ tools, except = [], ...rules }: Profile, server: string, { name, annotations }: JsonObject): boolean {
  const isNamed = (names: readonly string[]): boolean =>
    names.some((one) => one === name || one === `${server}:${String(name)}`);
  if ((tools !== undefined && !isNamed(tools)) || isNamed(except)) return false;
  const { readOnlyHint, destructiveHint, openWorldHint } = objectOf(annotations);
  const isReading = readOnlyHint === true;
  if (rules.readOnly === true && !isReading) return false;
  // What only reads destroys nothing, whatever else is said of it.
  if (rules.noDestructive === true && !isReading && destructiveHint !== false) return false;
  return rules.noOpenWorld !== true || openWorldHint === false;
}
