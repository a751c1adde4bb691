/** The schema of this version, as migration steps. */
import { replicaRole } from './database.ts';

export interface Step {
  readonly name: string;
  readonly sql: string;
  /** Replicas of the previous version can use a schema with this step, because it only adds things. */
  readonly isAdditive: boolean;
  /**
   * A single statement that runs outside a transaction, such as CREATE INDEX CONCURRENTLY IF NOT EXISTS; must be
   * repeatable.
   */
  readonly isOnline?: boolean;
}

/** Tables with monthly partitions by `written`. */
const partitionedTables: readonly string[] = ['audit', 'calls', 'steps', 'savings'];

const firstSchema = `
  CREATE TABLE tooltray.changes (
    topic text PRIMARY KEY, version bigint NOT NULL
  );

  CREATE SEQUENCE tooltray.document_versions;
  CREATE TABLE tooltray.documents (
    owner text NOT NULL, name text NOT NULL,
    version bigint NOT NULL DEFAULT nextval('tooltray.document_versions'),
    value text NOT NULL CHECK (octet_length(value) <= 33554432),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, name)
  );

  CREATE TABLE tooltray.audit (
    seq bigint NOT NULL, written timestamptz NOT NULL DEFAULT now(), line text NOT NULL,
    PRIMARY KEY (seq, written)
  ) PARTITION BY RANGE (written);
  CREATE TABLE tooltray.audit_heads (
    id boolean PRIMARY KEY DEFAULT true CHECK (id), seq bigint NOT NULL, at bigint NOT NULL, hash text NOT NULL
  );
  CREATE TABLE tooltray.audit_batches (
    writer text NOT NULL, batch bigint NOT NULL, at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (writer)
  );

  CREATE TABLE tooltray.replicas (
    id text NOT NULL, name text NOT NULL, version text NOT NULL, draining boolean NOT NULL,
    config text NOT NULL, servers jsonb NOT NULL, started timestamptz NOT NULL DEFAULT now(),
    seen timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (id)
  );

  CREATE SEQUENCE tooltray.call_numbers;
  CREATE TABLE tooltray.calls (
    written timestamptz NOT NULL, id bigint NOT NULL, step bigint,
    request_bytes bigint NOT NULL, server_result_bytes bigint NOT NULL, model_result_bytes bigint NOT NULL,
    request_tokens bigint, server_result_tokens bigint, model_result_tokens bigint, estimated integer NOT NULL,
    duration_ms real NOT NULL, call_ms real NOT NULL, book text NOT NULL, replica text NOT NULL, person text,
    session text NOT NULL, app text NOT NULL, mode text NOT NULL, server text NOT NULL, tool text NOT NULL,
    via text, outcome text NOT NULL, error_code text, error_text text, reason text, sensitivity text, spill_id text, labels text,
    preview text, number bigint NOT NULL DEFAULT nextval('tooltray.call_numbers'),
    PRIMARY KEY (written, book, id)
  ) PARTITION BY RANGE (written);
  CREATE INDEX calls_of_people ON tooltray.calls (person, written);
  CREATE INDEX calls_by_number ON tooltray.calls (number);

  CREATE SEQUENCE tooltray.step_numbers;
  CREATE TABLE tooltray.steps (
    written timestamptz NOT NULL, id bigint NOT NULL, request_bytes bigint NOT NULL,
    model_result_bytes bigint NOT NULL, given bigint, raw bigint, baseline bigint, loaded bigint, calls integer NOT NULL,
    duration_ms real NOT NULL, book text NOT NULL, replica text NOT NULL, person text, session text NOT NULL,
    app text NOT NULL, mode text NOT NULL, kind text NOT NULL, name text NOT NULL, what text NOT NULL,
    outcome text NOT NULL, error_text text, number bigint NOT NULL DEFAULT nextval('tooltray.step_numbers'),
    PRIMARY KEY (written, book, id)
  ) PARTITION BY RANGE (written);
  CREATE INDEX steps_of_sessions ON tooltray.steps (session, written);
  CREATE INDEX steps_by_number ON tooltray.steps (number);
  CREATE INDEX steps_of_people ON tooltray.steps (person, number);

  CREATE TABLE tooltray.savings (
    written timestamptz NOT NULL, times bigint NOT NULL, sent bigint NOT NULL, loaded bigint NOT NULL,
    baseline bigint NOT NULL, raw bigint NOT NULL, estimated bigint NOT NULL, book text NOT NULL, replica text NOT NULL,
    person text, session text NOT NULL, app text NOT NULL, mode text NOT NULL, server text NOT NULL, tool text NOT NULL,
    cause text NOT NULL,
    PRIMARY KEY (written, book, session, app, mode, server, tool, cause)
  ) PARTITION BY RANGE (written);
  ${partitionedTables.map((table) => `CREATE TABLE tooltray_parts.${table}_other PARTITION OF tooltray.${table} DEFAULT;`).join('\n  ')}

  CREATE TABLE tooltray.answers (
    number bigint GENERATED ALWAYS AS IDENTITY,
    id text NOT NULL, answer_id text NOT NULL,
    state text NOT NULL DEFAULT 'writing' CHECK (state IN ('writing', 'kept', 'leaving')),
    changed_at timestamptz NOT NULL DEFAULT now(),
    sha256 bytea, extension text NOT NULL,
    owner text COLLATE "C" NOT NULL, session_id text NOT NULL, app text NOT NULL, server text NOT NULL, tool text NOT NULL,
    preview text, kind text NOT NULL, mime_type text NOT NULL, bytes bigint NOT NULL, lines bigint,
    tokens bigint NOT NULL, tokens_estimated boolean NOT NULL,
    sent_bytes bigint, sent_tokens bigint, sent_estimated boolean NOT NULL,
    created_at bigint NOT NULL, pinned boolean NOT NULL DEFAULT false,
    reads integer NOT NULL DEFAULT 0, last_read_at bigint, profiles text,
    PRIMARY KEY (id), CHECK (state <> 'kept' OR sha256 IS NOT NULL)
  );
  CREATE INDEX answers_newest ON tooltray.answers (number DESC) INCLUDE (bytes) WHERE state = 'kept';
  CREATE INDEX answers_of_owner ON tooltray.answers (owner, number DESC) WHERE state = 'kept';
  CREATE INDEX answers_left_over ON tooltray.answers (changed_at) WHERE state <> 'kept';

  CREATE TABLE tooltray.users (
    id text NOT NULL, name text NOT NULL, name_key text NOT NULL, email text,
    role text NOT NULL CHECK (role IN ('admin', 'member')), is_service boolean NOT NULL, groups text[] NOT NULL,
    issued_groups text[] NOT NULL DEFAULT '{}', issuer text, subject text, routing_key text NOT NULL, claims_at timestamptz, off_at timestamptz,
    signed_out_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (id), UNIQUE (name_key), UNIQUE (issuer, subject)
  );
  CREATE UNIQUE INDEX users_by_email ON tooltray.users (lower(email));
  CREATE TABLE tooltray.group_grants (
    name text NOT NULL, profile text NOT NULL, PRIMARY KEY (name, profile)
  );
  CREATE TABLE tooltray.user_tokens (
    id text NOT NULL, user_id text NOT NULL, label text NOT NULL, hash bytea NOT NULL,
    profile text, read_only boolean NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL, last_used_at timestamptz, revoked_at timestamptz,
    PRIMARY KEY (id), UNIQUE (hash),
    FOREIGN KEY (user_id) REFERENCES tooltray.users (id) ON DELETE CASCADE
  );
  CREATE INDEX user_tokens_of_user ON tooltray.user_tokens (user_id);

  CREATE TABLE tooltray.secrets (
    owner text NOT NULL, name text NOT NULL,
    sealed text NOT NULL CHECK (octet_length(sealed) <= 1048576),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, name)
  );

  CREATE TABLE tooltray.page_sessions (
    hash bytea NOT NULL, user_id text NOT NULL, token_id text, sid text, created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL, PRIMARY KEY (hash),
    FOREIGN KEY (user_id) REFERENCES tooltray.users (id) ON DELETE CASCADE,
    FOREIGN KEY (token_id) REFERENCES tooltray.user_tokens (id) ON DELETE CASCADE
  );
  CREATE INDEX page_sessions_of_user ON tooltray.page_sessions (user_id);
  CREATE TABLE tooltray.page_visits (
    hash bytea NOT NULL, expires_at timestamptz NOT NULL, PRIMARY KEY (hash)
  );

  CREATE TABLE tooltray.quota_windows (
    key text NOT NULL, starts bigint NOT NULL, used bigint NOT NULL,
    PRIMARY KEY (key)
  );
  CREATE TABLE tooltray.quota_running (
    key text NOT NULL, id uuid NOT NULL, replica uuid NOT NULL, until timestamptz NOT NULL,
    PRIMARY KEY (id)
  );
  CREATE INDEX quota_running_by_key ON tooltray.quota_running (key);
`;

/** A released step is never changed; new ones are appended. */
export const steps: readonly Step[] = [{ name: 'the first schema', sql: firstSchema, isAdditive: false }];

/**
 * Creates the partitions of this month and the next two, as the schema's owner. Rows already in the default partition
 * stay there. Partitions are in a schema that replicas cannot access.
 */
const createPartitionsSql = `
  CREATE OR REPLACE FUNCTION tooltray.make_parts() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    whole text;
    month timestamp;
    part text;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('tooltray parts', 0));
    FOREACH whole IN ARRAY ARRAY[${partitionedTables.map((table) => `'${table}'`).join(', ')}] LOOP
      FOR ahead IN 0..2 LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') + ahead * interval '1 month';
        part := whole || to_char(month, '_YYYYMM');
        CONTINUE WHEN to_regclass(format('tooltray_parts.%I', part)) IS NOT NULL;
        BEGIN
          EXECUTE format('CREATE TABLE tooltray_parts.%I PARTITION OF tooltray.%I FOR VALUES FROM (%L) TO (%L)',
            part, whole, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
        EXCEPTION WHEN check_violation THEN NULL;
        END;
      END LOOP;
    END LOOP;
  END $$;
`;

/**
 * Drops partitions of calls, steps, and savings in which every row is older than the given days, at least seven. Only
 * the schema's owner can drop audit partitions.
 */
const dropPartitionsSql = `
  CREATE OR REPLACE FUNCTION tooltray.drop_parts(days integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    part text;
    dropped integer := 0;
    until timestamp := (now() AT TIME ZONE 'UTC') - greatest(days, 7) * interval '1 day';
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('tooltray parts', 0));
    FOR part IN SELECT tablename FROM pg_tables WHERE schemaname = 'tooltray_parts' AND tablename ~ '^(calls|steps|savings)_[0-9]{6}$' LOOP
      CONTINUE WHEN to_date(right(part, 6), 'YYYYMM') + interval '1 month' > until;
      EXECUTE format('DROP TABLE tooltray_parts.%I', part);
      dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
  END $$;
`;

/** Prerequisites of the first step. Roles belong to the whole server, so another database may have created them. */
export const ground = `
  CREATE SCHEMA IF NOT EXISTS tooltray;
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${replicaRole}') THEN CREATE ROLE ${replicaRole} NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$;
  GRANT USAGE ON SCHEMA tooltray TO ${replicaRole};
  CREATE SCHEMA IF NOT EXISTS tooltray_parts;
  CREATE TABLE IF NOT EXISTS tooltray.migrations (
    version integer PRIMARY KEY, name text NOT NULL, is_additive boolean NOT NULL, at timestamptz NOT NULL DEFAULT now()
  );
`;

/**
 * Runs after the last step: grants replicas access to new tables; they may only read the applied steps, and only
 * insert into the audit log.
 */
export const grants = `
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tooltray TO ${replicaRole};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA tooltray TO ${replicaRole};
  REVOKE INSERT, UPDATE, DELETE ON tooltray.migrations FROM ${replicaRole};
  REVOKE UPDATE, DELETE ON tooltray.audit FROM ${replicaRole};
  REVOKE DELETE ON tooltray.audit_heads FROM ${replicaRole};
  ${createPartitionsSql}
  ${dropPartitionsSql}
  REVOKE ALL ON FUNCTION tooltray.make_parts(), tooltray.drop_parts(integer) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION tooltray.make_parts(), tooltray.drop_parts(integer) TO ${replicaRole};
  SELECT tooltray.make_parts();
`;
