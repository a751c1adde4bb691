/** Who comes to a replica, and by what: personal tokens, and those of an issuer where there is one. Composition; no logic. */
import type { IncomingMessage } from 'node:http';
import type { Aggregator } from '../core/aggregator.ts';
import type { TeamDoor, TeamRoom } from '../host/team-seams.ts';
import type { Changes } from './database/changes.ts';
import type { Database } from './database/database.ts';
import { type Challenge, letInBy } from './door/let-in.ts';
import type { Proxies } from './door/proxies.ts';
import { type AccessNotes, noteAccess } from './door/note-access.ts';
import { ResourceMetadata } from './door/resource-metadata.ts';
import { refuseWithout } from './door/step-up.ts';
import type { OidcClient } from './issuer/code-flow.ts';
import { Issuer } from './issuer/issuer.ts';
import type { ClaimRules } from './issuer/read-claims.ts';
import { FailureLimit } from './people/failure-limit.ts';
import { IssuedPeople } from './people/issued-people.ts';
import { IssuedTokens } from './people/issued-tokens.ts';
import { People } from './people/people.ts';
import { PeopleGate } from './people/people-gate.ts';
import { PersonTokens } from './people/person-tokens.ts';
import { allRights } from './people/rights.ts';

/** Where the team's people sign in. */
export interface IssuerSettings extends ClaimRules {
  /** The issuer's name, letter by letter. */
  readonly issuer: string;
  /** What its access tokens for us name as their audience; empty: where `/mcp` is for client apps. */
  readonly audiences: readonly string[];
  /** Whether who signs in may be somebody whom nobody added before. */
  readonly takesNew: boolean;
  /** Take access tokens alone that say they are some (`at+jwt`). */
  readonly needsType: boolean;
  /** People come in by the issuer alone; personal tokens open something for service accounts only. */
  readonly isSsoOnly?: boolean | undefined;
  /** What the dashboard is called there; its secret, where it has one, is in the environment. undefined: nobody signs in to it there. */
  readonly clientId?: string | undefined;
}

/** Of the dashboard at the issuer. */
export const oidcSecretVariable = 'TOOLTRAY_OIDC_SECRET';

/** Who the team's people are, by the word of another. */
export interface OpenIssuer {
  readonly tokens: Issuer;
  readonly people: IssuedPeople;
  readonly rules: ClaimRules;
  /** The dashboard there; undefined: nobody signs in to it by the issuer. */
  readonly client: OidcClient | undefined;
}

interface PeopleRoom {
  readonly room: TeamRoom;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tenant: string;
  /** Bound to the tenant. */
  readonly sql: ReturnType<Database['of']>;
  readonly changes: Changes;
  readonly proxies: Proxies;
  readonly settings: IssuerSettings | undefined;
  /** Where `/mcp` is for client apps, once it listens. */
  readonly resource: () => string;
  /** Once it is made. */
  readonly core: () => Pick<Aggregator, 'audit' | 'sessionCore'>;
  /** Hears of people who came by a token of the issuer. */
  readonly came?: ((user: string, token: string, until: number) => void) | undefined;
}

export interface OpenPeople extends Pick<TeamDoor, 'letIn' | 'refuseRequest' | 'follow'> {
  readonly people: People;
  readonly tokens: PersonTokens;
  readonly gate: PeopleGate;
  /** What the issuer is asked, and who is of the team by its word; undefined: there is none. */
  readonly issuer: OpenIssuer | undefined;
  readonly notes: AccessNotes;
  /** Tells client apps where to sign in; undefined: nowhere. */
  readonly metadata: ResourceMetadata | undefined;
  readonly close: () => Promise<void>;
}

/** Throws AppError bad_request for an issuer that is none. */
export function openPeople(of: PeopleRoom): OpenPeople {
  const { room, env, tenant, sql, changes, proxies, settings, resource, core, came } = of;
  const [people, tokens] = [new People(sql, tenant), new PersonTokens(sql, tenant)];
  const issuer: OpenIssuer | undefined = settings && {
    tokens: new Issuer({ ...settings, env }),
    people: new IssuedPeople(sql, tenant, settings),
    rules: settings,
    client: clientOf(settings, env),
  };
  const notes = noteAccess(() => core().audit);
  const issued =
    issuer &&
    new IssuedTokens({
      ...{ issuer: issuer.tokens, issued: issuer.people, people, resource },
      ...{ rules: issuer.rules, audiences: settings?.audiences ?? [], met: notes.met },
    });
  const gate = new PeopleGate({
    ...{ tenant, changes, people, tokens, log: room.log.child('people'), failures: new FailureLimit() },
    ...{ issued, isSsoOnly: settings?.isSsoOnly },
  });
  const metadata = settings && new ResourceMetadata(settings.issuer, resource);
  const challenge = (request: IncomingMessage): Challenge =>
    metadata === undefined ? {} : { resource_metadata: metadata.urlFor(request), scope: allRights.join(' ') };
  return {
    letIn: letInBy({ tenant, gate, proxies, challenge, refused: notes.refused, came }),
    refuseRequest: refuseWithout({ core: () => core().sessionCore, challenge }),
    follow: (open, end) => gate.follow(open, end),
    ...{ people, tokens, gate, issuer, metadata, notes },
    close: async () => {
      await gate.close();
      issuer?.tokens.close();
    },
  };
}

function clientOf({ clientId }: IssuerSettings, env: PeopleRoom['env']): OidcClient | undefined {
  return clientId === undefined ? undefined : { id: clientId, secret: env[oidcSecretVariable] || undefined };
}
