/** Requests about profiles and the tokens that open them. */
import type { IssuedToken, ProfileTokenRow, ProfilesOverview } from '../../core/profiles/profile-service.ts';
import type { Nothing } from './nothing.ts';

export type { ProfileRow, ProfileTokenRow, ProfilesOverview } from '../../core/profiles/profile-service.ts';

/** The rules of a profile that the dashboard edits. */
export interface ProfileRules {
  /** Only these servers; absent: all. */
  readonly servers?: readonly string[];
  readonly readOnly?: boolean;
  readonly noDestructive?: boolean;
  readonly noOpenWorld?: boolean;
}

export interface ProfilesContract {
  profiles: { input: Nothing; output: ProfilesOverview };
  /** Creates or changes a profile; its rules for single tools stay. Null removes it, and apps that have it see everything. */
  setProfile: { input: { readonly name: string; readonly rules: ProfileRules | null }; output: Nothing };
  /** `ends`: within a year. The token is told in this answer alone. */
  giveProfileToken: { input: { readonly profile: string; readonly ends: number }; output: IssuedToken };
  revokeProfileToken: { input: { readonly id: string }; output: ProfileTokenRow & { readonly sentence: string } };
}
