/**
 * `tooltray team config`: checks a team's config layers without a database or a replica, for Git hooks and
 * CI, and prints the effective config of a user.
 */
import { relative, resolve } from 'node:path';
import { applyLayers, type ConfigProblem, type ConfigStore } from '../../../core/edition.ts';
import { maskText } from '../../../core/base/mask.ts';
import { formatCount } from '../../../core/base/text-format.ts';
import { openConfig } from '../../../host/open-config.ts';
import { cliPaths } from '../../cli-config.ts';
import { command, databaseFlag, jsonFlag } from '../../command.ts';
import { hasDatabase, withTeamDatabase } from '../../team-database.ts';
import { oneLine, paint, plainText, printResult } from '../../terminal.ts';

export const teamConfig = command({
  actions: {
    check: { words: 'FOLDER', help: 'Validate all layers (default)' },
    show: { words: 'FOLDER', help: 'Show the effective config of a user' },
  },
  usual: 'check',
  flags: {
    user: { value: 'NAME', help: 'show: user' },
    group: { value: 'NAME', many: true, help: 'show: group (repeatable)' },
    database: databaseFlag,
    json: jsonFlag,
  },
  notes: [
    'With a database and no --group, groups are read from the database.',
    'Exits with 1 on errors, for use in Git hooks and CI.',
  ],
  async run({ user = '', group, json, database }, [folder = '.'], action) {
    const store = await openConfig(resolve(folder), true, process.env, cliPaths());
    if (action === 'show') {
      const isRequested = user !== '' && group.length === 0 && hasDatabase(database);
      return show(store, user, isRequested ? await groupsOf(user, database) : group, json);
    }
    const { problems, version, current } = store;
    const { groups: ofGroups = {}, users = {} } = current.layers ?? {};
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    const files = { groups: Object.keys(ofGroups), users: Object.keys(users) };
    const { unconfinedServers, unconfinedWarning } = await import('../../../team/placement/report-unconfined.ts');
    const unconfined = unconfinedServers(current.servers);
    printResult(json, { ok: errors === 0, version, ...files, problems, unconfined }, () => [
      ...problems.map(line),
      ...unconfined.map((server) => plainText(unconfinedWarning(server))),
      [
        `${errors === 0 ? paint('good', 'valid') : paint('bad', 'invalid')}, version ${version}:`,
        `${formatCount(current.servers.length, 'server')}, ${formatCount(files.groups.length, 'group')},`,
        `${formatCount(files.users.length, 'user')}; ${formatCount(errors, 'error')}, ${formatCount(problems.length - errors, 'warning')}.`,
      ].join(' '),
    ]);
    return errors === 0 ? 0 : 1;
  },
});

/** The user's groups from the database. Rejects with AppError `not_found`, `store_unreachable`. */
async function groupsOf(name: string, database: string | undefined): Promise<readonly string[]> {
  return withTeamDatabase(database, async (sql) => {
    const { UserStore } = await import('../../../team/users/user-store.ts');
    return (await new UserStore(sql).byName(name)).groups;
  });
}

function show(store: ConfigStore, name: string, groups: readonly string[], json: boolean): number {
  const { config, profiles, favorites, quotas } = applyLayers(store.current, { name, groups });
  const { mode, appModes, ui, appUi, condense, enrichment, extraTools, slowCallSeconds, retrieve, code, results } =
    config;
  const { threshold, thresholds, appThresholds, toon, clean } = results;
  const settings = {
    mode,
    appModes,
    ui,
    appUi,
    condense,
    enrichment,
    extraTools,
    slowCallSeconds,
    retrieve,
    code,
    results: { threshold, thresholds, appThresholds, toon, clean },
  };
  printResult(json, { groups, settings, profiles, favorites, quotas }, () => [
    oneLine(`Groups: ${groups.join(', ') || 'none'}`),
    ...Object.entries(settings).map(([key, value]) => oneLine(`${key}: ${JSON.stringify(value) ?? 'default'}`)),
    ...profiles.map((profile) => oneLine(`Profile: ${JSON.stringify(profile)}`)),
    oneLine(`Favorites: ${favorites.join(', ') || 'none'}`),
    ...quotas.map(({ name: quota, id: _id, replaces: _replaces, ...bounds }) =>
      oneLine(`Quota ${quota}: ${JSON.stringify(bounds)}`),
    ),
  ]);
  return 0;
}

/** A location that editors and terminals turn into a link. */
function line({ file, line: at, column, severity, path, reason, suggestion = '' }: ConfigProblem): string {
  const why = maskText(`${reason} ${suggestion}`.trimEnd());
  const what = path === '' ? why : `${path}: ${why}`;
  const shown = relative(process.cwd(), file);
  const word = paint(severity === 'error' ? 'bad' : 'unsure', severity);
  return `${oneLine(shown)}:${at}:${column} ${word}: ${plainText(what)}`;
}
