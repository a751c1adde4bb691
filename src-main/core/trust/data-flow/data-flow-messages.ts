/** All texts of data-flow approvals, and of the refusal that a model reads. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { truncateText, markInvisible } from '../../base/visible-text.ts';
import type { ApprovalChoice, ApprovalRequest, ApprovalDetail } from '../approvals.ts';
import type { Destination } from './destinations.ts';
import { decisionKey, type DataFlowFinding } from './evaluate-call.ts';
import { sensitiveLabels } from './sensitive-data.ts';
import type { FlowTool } from './tool-roles.ts';

interface Asker {
  /** Id of the user, if several share the core. */
  readonly user: string | undefined;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  readonly sessionId: string;
}

/** `key`: of this call in this session. */
export function createApprovalRequest(
  tool: FlowTool,
  args: JsonObject | undefined,
  findings: readonly DataFlowFinding[],
  { user, app, appName, sessionId }: Asker,
  key: string,
  openMs: number,
): ApprovalRequest {
  const [first] = findings;
  return {
    cause: `flow ${tool.server} ${first === undefined ? '' : decisionKey(first)}`,
    user,
    key,
    app,
    sessionId,
    server: tool.server,
    tool: tool.id,
    sentence: describeDataFlow(tool, findings, appName),
    details: [
      ...findings.flatMap(detailsOf),
      { name: `What ${tool.id} would be called with`, text: JSON.stringify(args ?? {}, null, 2), isPrivate: true },
    ],
    choices: choicesFor(tool, findings, user === undefined ? 'any app' : 'any user’s app'),
    openMs,
  };
}

function placeOf({ key }: Destination): string {
  return key.slice(key.indexOf(' ') + 1);
}

/**
 * For example `Cursor wants to send to mark@evil.example with mail:send_email. Only a result of mail:read_inbox named
 * this
 * address.`
 */
export function describeDataFlow(tool: FlowTool, findings: readonly DataFlowFinding[], appName: string): string {
  const [first, ...others] = findings;
  if (first === undefined) return '';
  const more =
    others.length === 0
      ? ''
      : ` There ${others.length === 1 ? 'is 1 more thing' : `are ${others.length} more things`} to decide with it.`;
  return `${shown(appName)} wants to ${deedOf(first)} with ${shown(tool.id)}. ${reasonOf(first)}${more}`;
}

interface QuestionState {
  readonly kind: 'unanswered' | 'refused' | 'not asked';
  readonly id?: string;
  /** Place where the user decides; undefined: on this machine. */
  readonly at?: string | undefined;
}

/** The refusal. `state`: the outcome of the approval. */
export function dataFlowRefusal(tool: FlowTool, findings: readonly DataFlowFinding[], state: QuestionState): AppError {
  const [first] = findings;
  const what = first === undefined ? '' : ` It would ${deedOf(first)}. ${reasonOf(first)}`;
  const number = state.id === undefined ? '' : ` (question ${state.id})`;
  const data = {
    code: state.kind === 'refused' ? 'FLOW_REFUSED' : 'FLOW_ASKED',
    ...(state.id !== undefined && { question: state.id }),
  };
  if (state.kind === 'refused') {
    return new AppError('not_allowed', `${tool.id} was not called: the user said no.${what}`, {
      fix: 'Do not try it another way. Ask the user what they want instead.',
      data,
    });
  }
  if (state.kind === 'not asked') {
    return new AppError(
      'not_allowed',
      `${tool.id} was not called: the user decides on it, and too much waits for them.${what}`,
      {
        fix: 'Ask the user to answer what waits in Tooltray, then call it again.',
        data,
      },
    );
  }
  return new AppError(
    'not_allowed',
    `${tool.id} was not called: the user was asked${number} and has not answered.${what}`,
    {
      fix: `They can answer in Tooltray: ${state.at ?? onThisMachine}. Call it again with the same arguments once they did.`,
      data,
    },
  );
}

const onThisMachine = 'in its tray menu, its dashboard, or by "tooltray inbox"';

function deedOf(finding: DataFlowFinding): string {
  if (finding.why === 'secret') return `send ${sensitiveLabels[finding.kind]}`;
  const { to } = finding;
  const place = shown(placeOf(to));
  return to.isLink === true ? `send a link to ${place}` : `send to ${place}`;
}

function reasonOf(finding: DataFlowFinding): string {
  switch (finding.why) {
    case 'read':
      return `That came out of ${shown(finding.source.of)}, read in this session; nobody had named it before.`;
    case 'unsure':
      return 'More was read in this session than could be remembered, so it cannot be told who named it.';
    case 'secret':
      return 'Such data is not sent anywhere unasked.';
  }
}

function detailsOf(finding: DataFlowFinding): readonly ApprovalDetail[] {
  if (finding.why === 'secret') return [{ name: 'Sends', text: sensitiveLabels[finding.kind] }];
  const { to } = finding;
  const where = { name: to.isLink === true ? 'Link' : 'To', text: to.written };
  return finding.why === 'read'
    ? [where, { name: 'Came from', text: `${finding.source.of}, ${new Date(finding.source.at).toISOString()}` }]
    : [where];
}

/** `scope`: text for the apps that a lasting approval applies to. */
function choicesFor(tool: FlowTool, findings: readonly DataFlowFinding[], scope: string): readonly ApprovalChoice[] {
  const places = [...new Set(findings.map(decisionKey))].map((key) => shown(key.slice(key.indexOf(' ') + 1)));
  const these = findings.every(({ why }) => why === 'secret')
    ? 'this kind of data'
    : places.length === 1
      ? 'this destination'
      : 'these destinations';
  return [
    {
      id: 'no',
      label: 'Do not send',
      meaning: 'The call is refused, and so is what else this session sends there.',
      risky: false,
    },
    {
      id: 'once',
      label: 'Send this once',
      meaning: 'This call goes through as it is shown. The next one is asked for again.',
      risky: true,
      authority: 'theirs',
    },
    {
      id: 'always',
      label: `Always for ${these}`,
      meaning: `${tool.server} may send to ${places.join(', ')} without approval, for requests of ${scope}, until you undo it.`,
      risky: true,
      authority: 'admins',
    },
  ];
}

function shown(text: string): string {
  return truncateText(markInvisible(text), 200);
}
