/** Requests about profiles and the tokens that open them. */
import { z } from 'zod';
import type { IssuedToken, ProfileTokenRow, ProfilesOverview } from '../../core/profiles/profile-service.ts';
import { count, flag, id, maybe, name, nothing, type Methods, type Nothing, type Parsed } from './fields.ts';

export type { ProfileRow, ProfileTokenRow, ProfilesOverview } from '../../core/profiles/profile-service.ts';

/** The rules of a profile that the dashboard edits. */
const rules = z.object({
  /** Only these servers; absent: all. */
  servers: maybe(z.array(name).max(1000)),
  readOnly: maybe(flag),
  noDestructive: maybe(flag),
  noOpenWorld: maybe(flag),
});
export type ProfileRules = Parsed<typeof rules>;

/** Schemas of the inputs. */
export const profileInputs = {
  profiles: nothing,
  setProfile: z.object({ name: z.string().regex(/^[\w.-]{1,60}$/), rules: rules.nullable() }),
  createProfileToken: z.object({ profile: name, expiresAt: count }),
  revokeProfileToken: z.object({ id }),
};

interface ProfileOutputs {
  profiles: ProfilesOverview;
  /** Creates or changes a profile; its rules for single tools stay. Null removes it, and apps that have it see everything. */
  setProfile: Nothing;
  /** `expiresAt`: within a year. The token is told in this answer alone. */
  createProfileToken: IssuedToken;
  revokeProfileToken: ProfileTokenRow & { readonly sentence: string };
}

export type ProfileMethods = Methods<typeof profileInputs, ProfileOutputs>;
