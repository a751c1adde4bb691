/** All texts of data-flow approvals, and of the refusal that a model reads. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { formatCount } from '../../base/text-format.ts';
import { truncateText, markInvisible } from '../../base/visible-text.ts';
import type { ApprovalChoice, ApprovalRequest, ApprovalDetail } from '../approvals.ts';
import type { Destination } from './destinations.ts';
import { decisionKey, type DataFlowFinding } from './evaluate-call.ts';
import { sensitiveLabels } from './sensitive-data.ts';
import type { FlowTool } from './tool-roles.ts';

interface CallOrigin {
  /** Id of the user, if several share the core. */
  readonly user: string | undefined;
  readonly app: string;
  /** Display name of the app. */
  readonly appName: string;
  readonly sessionId: string;
}

/** `key`: identifies this call in this session, so that a repeated call finds the pending request. */
export function createApprovalRequest(
  tool: FlowTool,
  args: JsonObject | undefined,
  findings: readonly DataFlowFinding[],
  { user, app, appName, sessionId }: CallOrigin,
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
      { name: `Arguments of ${tool.id}`, text: JSON.stringify(args ?? {}, null, 2), isPrivate: true },
    ],
    choices: choicesFor(tool, findings, user === undefined ? 'all apps' : 'the apps of all users'),
    openMs,
  };
}

function placeOf({ key }: Destination): string {
  return key.slice(key.indexOf(' ') + 1);
}

/**
 * For example `Cursor wants to send to mark@evil.example with mail:send_email. This destination appeared only in a
 * result of mail:read_inbox in this session.`
 */
export function describeDataFlow(tool: FlowTool, findings: readonly DataFlowFinding[], appName: string): string {
  const [first, ...others] = findings;
  if (first === undefined) return '';
  const more =
    others.length === 0
      ? ''
      : ` ${formatCount(others.length, 'more finding')} ${others.length === 1 ? 'is' : 'are'} decided together with this one.`;
  return `${shown(appName)} wants to ${actionText(first)} with ${shown(tool.id)}. ${reasonOf(first)}${more}`;
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
  const what = first === undefined ? '' : ` It would ${actionText(first)}. ${reasonOf(first)}`;
  const number = state.id === undefined ? '' : ` (${state.id})`;
  const data = {
    code: state.kind === 'refused' ? 'FLOW_REFUSED' : 'FLOW_ASKED',
    ...(state.id !== undefined && { question: state.id }),
  };
  if (state.kind === 'refused') {
    return new AppError('not_allowed', `${tool.id} was not called: the user denied it.${what}`, {
      fix: 'Do not try another way to do this. Ask the user how to proceed.',
      data,
    });
  }
  if (state.kind === 'not asked') {
    return new AppError(
      'not_allowed',
      `${tool.id} was not called: it needs the user's approval, and too many approvals are pending.${what}`,
      {
        fix: 'Ask the user to decide the pending approvals in Tooltray, then call it again.',
        data,
      },
    );
  }
  return new AppError('not_allowed', `${tool.id} was not called: it awaits the user's approval${number}.${what}`, {
    fix: `Ask the user to decide ${state.at ?? onThisMachine}. Then call it again with the same arguments.`,
    data,
  });
}

const onThisMachine = 'in the tray menu, in the dashboard, or with "tooltray inbox"';

function actionText(finding: DataFlowFinding): string {
  if (finding.why === 'secret') return `send ${sensitiveLabels[finding.kind]}`;
  const { to } = finding;
  const place = shown(placeOf(to));
  return to.isLink === true ? `send a link to ${place}` : `send to ${place}`;
}

function reasonOf(finding: DataFlowFinding): string {
  switch (finding.why) {
    case 'read':
      return `This destination appeared only in a result of ${shown(finding.source.of)} in this session.`;
    case 'unsure':
      return 'This session read more data than is tracked, so the origin of the destination is unknown.';
    case 'secret':
      return 'Sending such data requires approval.';
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
      meaning: 'This call is denied, and so are later calls of this session to the same destination.',
      risky: false,
    },
    {
      id: 'once',
      label: 'Send this once',
      meaning: 'Only this call is allowed, as shown. The next one needs approval again.',
      risky: true,
      authority: 'theirs',
    },
    {
      id: 'always',
      label: `Always for ${these}`,
      meaning: `${tool.server} may send to ${places.join(', ')} without approval, for ${scope}, until you undo it.`,
      risky: true,
      authority: 'admins',
    },
  ];
}

function shown(text: string): string {
  return truncateText(markInvisible(text), 200);
}
