/** Dashboard and command-line requests about profiles and their tokens. */
import { ProfileService, type ProfilesOverview } from '../../core/profiles/profile-service.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

export const profileHandlers = {
  profiles: async (_input, deps) => profilesOverview(deps),
  setProfile: async ({ name, rules }, { context, servers: { edits } }) => {
    const { appProfiles, profiles } = context.config.current;
    const { [name]: before = {}, ...others } = profiles;
    if (rules !== null) {
      const { tools, except } = before;
      const filters = { ...(tools !== undefined && { tools }), ...(except !== undefined && { except }) };
      await edits.set('profiles', { ...others, [name]: { ...rules, ...filters } });
      return {};
    }
    const apps = Object.keys(appProfiles).filter((app) => appProfiles[app] === name);
    if (apps.length > 0) await edits.merge('appProfiles', Object.fromEntries(apps.map((app) => [app, null])));
    await edits.set('profiles', Object.keys(others).length === 0 ? undefined : others);
    return {};
  },
  createProfileToken: ({ profile, expiresAt }, deps) => profileService(deps).issueToken(profile, expiresAt),
  revokeProfileToken: ({ id }, deps) => profileService(deps).revoke(id),
} satisfies Handlers;

export function profilesOverview(deps: RpcDeps): ProfilesOverview {
  return profileService(deps).overview();
}

function profileService({ context, clients, addresses }: RpcDeps): ProfileService {
  const { profileTokens: tokens } = clients;
  const options = context;
  return new ProfileService({ config: () => options.config.current, tokens, http: () => addresses().http });
}
