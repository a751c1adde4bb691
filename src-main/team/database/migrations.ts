/**
 * The schema, step by step. A step that a release has is never changed: a new one is added at the end. Tables of tenants have the column
 * `tenant` and the policy that `ofTenant` adds; all of them lie in the schema `tooltray`.
 */
import { replicaRole } from './database.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
    name: 'versions of what changes',
    sql: `
      CREATE TABLE tooltray.changes (
        tenant text NOT NULL, topic text NOT NULL, version bigint NOT NULL, PRIMARY KEY (tenant, topic)
      );
    `,
  },
  {
    name: 'documents of tenants and of their users',
    sql: `
      CREATE SEQUENCE tooltray.document_versions;
      CREATE TABLE tooltray.documents (
        tenant text NOT NULL, owner text NOT NULL, name text NOT NULL,
        version bigint NOT NULL DEFAULT nextval('tooltray.document_versions'),
        value text NOT NULL CHECK (octet_length(value) <= 33554432),
        changed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (tenant, owner, name)
      );
      ${ofTenant('documents')}
    `,
  },
];

/** Only the tenant that the connection was opened for; also for the owner of the table. Where none is set, PostgreSQL refuses. */
export function ofTenant(table: string): string {
  return `
    ALTER TABLE tooltray.${table} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE tooltray.${table} FORCE ROW LEVEL SECURITY;
    CREATE POLICY tenant ON tooltray.${table}
      USING (tenant = current_setting('tooltray.tenant')) WITH CHECK (tenant = current_setting('tooltray.tenant'));
  `;
}

/** What there has to be before the first step. Roles belong to the whole server, so another database may have made it. */
export const ground = `
  CREATE SCHEMA IF NOT EXISTS tooltray;
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${replicaRole}') THEN CREATE ROLE ${replicaRole} NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$;
  GRANT ${replicaRole} TO CURRENT_USER;
  GRANT USAGE ON SCHEMA tooltray TO ${replicaRole};
  CREATE TABLE IF NOT EXISTS tooltray.migrations (
    version integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now()
  );
`;

/** After the last step: what is new is the replicas' to use; which steps were taken they may only read. */
export const grants = `
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tooltray TO ${replicaRole};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA tooltray TO ${replicaRole};
  REVOKE INSERT, UPDATE, DELETE ON tooltray.migrations FROM ${replicaRole};
`;
