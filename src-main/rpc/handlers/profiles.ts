/** Profiles as the person wrote them, and the tokens they give and take back: never in reach of a model. */
import { nameOfApp } from '../../core/client-apps/app-limits.ts';
import type { Profile } from '../../core/config/app-config.ts';
import { unknownProfile } from '../../core/profiles/profile-scope.ts';
import type { ProfileToken } from '../../core/profiles/profile-tokens.ts';
import type { ProfileRow, ProfilesOverview, ProfileTokenRow } from '../contract.ts';
import type { Handlers, RpcDeps } from '../deps.ts';

export const profileHandlers = {
  profiles: async (_input, deps) => profilesOverview(deps),
  giveProfileToken: async ({ profile, ends }, deps) => {
    const rows = profileRows(deps);
    const row = rows.find(({ name }) => name === profile);
    if (row === undefined)
      throw unknownProfile(
        profile,
        rows.map(({ name }) => name),
      );
    const { token, ...given } = await deps.core.profileTokens.give(profile, ends);
    return { ...tokenRow(given), token, url: row.url };
  },
  revokeProfileToken: async ({ id }, { core }) => {
    const { wasInForce, ...token } = await core.profileTokens.revoke(id);
    const sentence = wasInForce
      ? `Token ${id} of the profile ${token.profile} opens nothing any more, and what it had open has ended.`
      : `Token ${id} of the profile ${token.profile} was over already.`;
    return { ...tokenRow(token), sentence };
  },
} satisfies Handlers;

export function profilesOverview(deps: RpcDeps): ProfilesOverview {
  return { profiles: profileRows(deps), tokens: deps.core.profileTokens.list().map(tokenRow) };
}

function profileRows({ core, doors }: RpcDeps): readonly ProfileRow[] {
  const { profiles, appProfiles } = core.options.config.current;
  const { http } = doors();
  return Object.entries(profiles).map(([name, profile]) => ({
    name,
    ...profile,
    rules: rulesOf(profile),
    apps: Object.entries(appProfiles).flatMap(([app, held]) =>
      held === name ? [{ app, appName: nameOfApp(app) }] : [],
    ),
    url: http === '' ? '' : `${http}/p/${encodeURIComponent(name)}`,
  }));
}

function rulesOf({ tools, except = [], readOnly, noDestructive, noOpenWorld }: Profile): string[] {
  return [
    ...(tools === undefined ? [] : [tools.length === 0 ? 'no tool' : `only ${tools.join(', ')}`]),
    ...(except.length === 0 ? [] : [`not ${except.join(', ')}`]),
    ...(readOnly === true ? ['only what reads'] : []),
    ...(noDestructive === true ? ['nothing that destroys'] : []),
    ...(noOpenWorld === true ? ['nothing that reaches the open world'] : []),
  ];
}

function tokenRow(token: ProfileToken): ProfileTokenRow {
  const state = token.revoked !== undefined ? 'revoked' : token.ends <= Date.now() ? 'ended' : 'in force';
  return { ...token, state };
}
