/** `tooltray doctor`: one sentence about everything that could need a person, and what to do about it. */
import { Masker } from '../core/base/mask-secrets.ts';
import { secretsOf } from '../core/config/secrets-of.ts';
import type { CoreState } from '../rpc/contract.ts';
import { type CoreAccess, runningCoreFor } from './core-access.ts';
import { configFindings, fileFindings, nodeFinding, pathFindings } from './doctor-checks.ts';
import { fixServers } from './doctor-fix.ts';
import { probeFindings, statusFindings } from './doctor-servers.ts';
import type { Finding } from './finding.ts';
import { openAnyConfig } from './open-cli-config.ts';
import { oneLine } from './plain-text.ts';
import { paint, type Paint, printJson, printLines, printProgress } from './print.ts';
import { commonFlags, readFlags } from './read-flags.ts';
import { settledState } from './settled-state.ts';
import packageJson from '../../package.json' with { type: 'json' };

const marks: Readonly<Record<Finding['level'], readonly [Paint, string]>> = {
  ok: ['good', 'ok     '],
  note: ['unsure', 'note   '],
  problem: ['bad', 'problem'],
};

const doctorFlags = { ...commonFlags, fix: { type: 'boolean' }, yes: { type: 'boolean' } } as const;

export async function run(args: readonly string[], form: string): Promise<number> {
  const { values } = readFlags(args, doctorFlags, [0, 0], form);
  const fixes = values.fix === true ? await fixServers(values.config, values.yes) : [];
  if (values.json !== true) printLines(fixes.map(({ sentence }) => oneLine(sentence)));
  const found = await examine(values.config);
  const problems = found.filter(({ level }) => level === 'problem').length;
  if (values.json === true) printJson({ ok: problems === 0, findings: found, ...(values.fix === true && { fixes }) });
  else printLines([...(fixes.length > 0 ? [''] : []), ...found.map(line), '', conclusion(problems)]);
  return problems === 0 ? 0 : 1;
}

async function examine(config: string | undefined): Promise<Finding[]> {
  const { finding, state } = await askCore(config);
  const store = await openAnyConfig(config);
  const masker = new Masker(secretsOf(store.current));
  if (state === undefined) printProgress('Connecting to each server once …');
  const servers = state === undefined ? await probeFindings(store) : statusFindings(state);
  const all = [
    nodeFinding(),
    ...pathFindings(),
    finding,
    ...(state === undefined ? [] : httpFindings(state)),
    ...(await fileFindings(store)),
    ...configFindings(store),
    ...servers,
  ];
  return all.map((one) => ({ ...one, text: oneLine(masker.maskText(one.text)) }));
}

/** A core that cannot be reached is a finding, not the end of the examination. */
async function askCore(config: string | undefined): Promise<{ finding: Finding; state?: CoreState }> {
  let core: CoreAccess | undefined;
  try {
    core = await runningCoreFor(config);
    if (core === undefined)
      return {
        finding: {
          level: 'note',
          topic: 'core',
          text: 'Tooltray is not running; the first client app that needs it starts it.',
        },
      };
    const state = await settledState(core);
    return { finding: runningFinding(state), state };
  } catch (error) {
    return {
      finding: {
        level: 'problem',
        topic: 'core',
        text: `Tooltray is running but cannot be asked: ${(error as Error).message}`,
      },
    };
  } finally {
    await core?.close();
  }
}

function runningFinding({ version, http, socket, sessions }: CoreState): Finding {
  const where = `Tooltray ${version} is running at ${http || socket} with ${sessions.length} client app${sessions.length === 1 ? '' : 's'} connected.`;
  if (version === packageJson.version) return { level: 'ok', topic: 'core', text: where };
  return {
    level: 'note',
    topic: 'core',
    text: `${where} This command is of version ${packageJson.version}; restart Tooltray to use the same.`,
  };
}

/** An older core does not tell. */
function httpFindings({ httpProblem = '' }: Partial<CoreState>): Finding[] {
  return httpProblem === '' ? [] : [{ level: 'problem', topic: 'core', text: httpProblem }];
}

function line({ level, text }: Finding): string {
  const [how, word] = marks[level];
  return `${paint(how, word)}  ${text}`;
}

function conclusion(problems: number): string {
  if (problems === 0) return 'Nothing needs you.';
  return problems === 1 ? 'One thing needs you.' : `${problems} things need you.`;
}
