-- Creates the database of one team and its two logins: the owner, for `tooltray team migrate`, and the replicas'.
-- Run it once as a superuser, with psql 15 or newer. Another `name` makes another team on the same server.
--   OWNER_PASSWORD=... REPLICA_PASSWORD=... psql -v name=tooltray -f database.sql
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv replica_password REPLICA_PASSWORD
\if :{?name}
\else
  \set name tooltray
\endif
\set owner :name _owner

-- The rights of replicas, granted by `tooltray team migrate` in each database. It cannot log in.
SELECT 'CREATE ROLE tooltray_replica NOLOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tooltray_replica')
\gexec
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"name" LOGIN PASSWORD :'replica_password' IN ROLE tooltray_replica;
CREATE DATABASE :"name" OWNER :"owner";
-- Keeps the logins of other teams out.
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"name" TO :"name";
