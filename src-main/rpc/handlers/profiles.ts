/** Dashboard and command-line requests about profiles and their tokens. */
import { ProfileService, type ProfilesOverview } from '../../core/profiles/profile-service.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

export const profileHandlers = {
  profiles: async (_input, deps) => profilesOverview(deps),
  giveProfileToken: ({ profile, ends }, deps) => profileService(deps).issueToken(profile, ends),
  revokeProfileToken: ({ id }, deps) => profileService(deps).revoke(id),
} satisfies Handlers;

export function profilesOverview(deps: RpcDeps): ProfilesOverview {
  return profileService(deps).overview();
}

function profileService({ context, clients, doors }: RpcDeps): ProfileService {
  const { profileTokens: tokens } = clients;
  const options = context;
  return new ProfileService({ config: () => options.config.current, tokens, http: () => doors().http });
}
