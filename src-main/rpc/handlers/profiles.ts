/** What the dashboard and the command line ask of profiles and their tokens. */
import { ProfileDesk, type ProfilesOverview } from '../../core/profiles/profile-desk.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

export const profileHandlers = {
  profiles: async (_input, deps) => profilesOverview(deps),
  giveProfileToken: ({ profile, ends }, deps) => desk(deps).give(profile, ends),
  revokeProfileToken: ({ id }, deps) => desk(deps).revoke(id),
} satisfies Handlers;

export function profilesOverview(deps: RpcDeps): ProfilesOverview {
  return desk(deps).overview();
}

function desk({ core, doors }: RpcDeps): ProfileDesk {
  const { profileTokens: tokens, options } = core;
  return new ProfileDesk({ config: () => options.config.current, tokens, http: () => doors().http });
}
