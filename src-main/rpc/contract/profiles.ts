/** Requests about profiles and their tokens. */
import { z } from 'zod';
import type { IssuedToken, ProfileTokenRow, ProfilesOverview } from '../../core/profiles/profile-service.ts';
import { count, flag, id, maybe, name, nothing, type Methods, type Nothing } from './fields.ts';

export type { ProfileRow, ProfileTokenRow, ProfilesOverview } from '../../core/profiles/profile-service.ts';

/** Rules of a profile that the dashboard can edit. */
const rules = z.object({
  /** Only these servers; absent: all. */
  servers: maybe(z.array(name).max(1000)),
  readOnly: maybe(flag),
  noDestructive: maybe(flag),
  noOpenWorld: maybe(flag),
});

/** Schemas of the inputs. */
export const profileInputs = {
  profiles: nothing,
  setProfile: z.object({ name: z.string().regex(/^[\w.-]{1,60}$/), rules: rules.nullable() }),
  createProfileToken: z.object({ profile: name, expiresAt: count }),
  revokeProfileToken: z.object({ id }),
};

interface ProfileOutputs {
  profiles: ProfilesOverview;
  /** Creates or changes a profile; its per-tool rules are kept. Null removes it, so its apps see everything. */
  setProfile: Nothing;
  /** `expiresAt`: at most a year ahead. The token is returned only here. */
  createProfileToken: IssuedToken;
  revokeProfileToken: ProfileTokenRow & { readonly sentence: string };
}

export type ProfileMethods = Methods<typeof profileInputs, ProfileOutputs>;
