/** docs/reference/error-codes.md: every code of `AppError`, with its meaning. */
import { type ErrorCode, errorCodes } from '../../src-main/core/base/errors.ts';
import { table, wrap } from './markdown.ts';

/** Meaning and action for each code. A code without a meaning does not compile. */
const meanings: Readonly<Record<ErrorCode, readonly [meaning: string, action: string]>> = {
  already_running: ['Another Tooltray uses the same data directory.', 'Use the running one, or stop it.'],
  arguments_invalid: [
    'The arguments do not match the schema of the tool.',
    'Correct them. The error names the schema.',
  ],
  bad_request: ['The command, request, or parameter is invalid.', 'Follow the usage in the error.'],
  call_failed: ['The call ended without a result.', 'Retry. If it repeats, read the log of the server.'],
  call_timeout: ['The server did not respond within the timeout.', 'Raise `callTimeoutSeconds`, or retry.'],
  cancelled: ['The call was cancelled by the client or the user.', ''],
  command_not_found: ['The program of a server does not exist.', 'Install it, or correct `command`.'],
  config_conflict: ['Someone else changed the same value at the same time.', 'Reload and retry.'],
  config_invalid: ['The configuration cannot be read.', 'Run `tooltray config validate`.'],
  config_not_found: ['The configuration file does not exist.', 'Correct `--config`.'],
  internal: ['An error in Tooltray.', 'Report it with the log.'],
  message_too_large: ['A message or text is above a limit.', 'Send or request less.'],
  mode_unknown: ['There is no mode with this name.', 'Use a mode that the error lists.'],
  not_allowed: ['A rule, profile, or role does not allow it.', 'Ask the person who set the rule.'],
  not_found: ['The id or name is unknown, or belongs to someone else.', 'List what exists.'],
  paused: ['The user paused all servers.', 'Run `tooltray resume`.'],
  port_in_use: ['Another program uses the port.', 'Change `port`.'],
  registry_failed: ['A registry is unavailable or returned an invalid response.', 'Retry later.'],
  secret_locked: ['The vault is locked.', 'Run `tooltray secret unlock`.'],
  secret_missing: ['A secret that an entry names is not set.', 'Run `tooltray secret set NAME`.'],
  server_disabled: ['The server is disabled.', 'Run `tooltray enable NAME`.'],
  server_exited: ['The process of the server ended during the call.', 'Retry. Read `tooltray logs NAME`.'],
  server_not_found: ['There is no server with this name.', 'Run `tooltray list`.'],
  server_not_started: ['The server failed to start.', 'Run `tooltray doctor`.'],
  server_protocol: ['The server sent an invalid response.', 'Update or report the server.'],
  server_starting: ['The server is still starting.', 'Retry.'],
  server_timeout: ['The server did not start within its timeout.', 'Raise `initTimeoutSeconds`.'],
  server_unauthorized: ['The server requires a sign-in or more scopes.', 'Run `tooltray login NAME`.'],
  server_unreachable: ['The server cannot be reached.', 'Check its address and your network.'],
  session_limit: ['A limit of sessions, streams, or requests is reached.', 'Retry later, or close some.'],
  spill_failed: ['A large result could not be stored.', 'Free disk space, or check the object store.'],
  store_unreachable: ['The database or object store of a team is unavailable.', 'Retry later.'],
  tool_ambiguous: ['Several servers have a tool or resource with this name.', 'Use `server:tool`.'],
  tool_not_found: ['There is no tool with this name.', 'Search for it.'],
  unauthorized: ['The token or sign-in is missing, unknown, or expired.', 'Create a new token.'],
  unsupported: ['The platform, server, or client does not support it.', ''],
};

export function errorReference(): string {
  const rows = errorCodes.map((code) => [`\`${code}\``, ...meanings[code]]);
  return `# Error codes

${wrap('Each error of Tooltray has a stable code. The command line prints it with `--json`; activity and audit records store it; models read message and action as the result of a call. Codes may be added, but are never renamed.')}

${table(['code', 'meaning', 'action'], rows)}
`;
}
