/** Parses request inputs before anything runs, because the caller may be any program. */
import type { z } from 'zod';
import { AppError } from '../core/base/errors.ts';
import { activityInputs } from './contract/activity.ts';
import { appViewInputs } from './contract/app-views.ts';
import { auditInputs } from './contract/audit.ts';
import { coreInputs } from './contract/core.ts';
import { dataFlowInputs } from './contract/data-flow.ts';
import { findInputs } from './contract/find.ts';
import { inboxInputs } from './contract/inbox.ts';
import { profileInputs } from './contract/profiles.ts';
import { registryInputs } from './contract/registry.ts';
import { runInputs } from './contract/runs.ts';
import { savingsInputs } from './contract/savings.ts';
import { secretInputs } from './contract/secrets.ts';
import { serverInputs } from './contract/servers.ts';
import { settingsInputs } from './contract/settings.ts';
import { setupInputs } from './contract/setup.ts';
import { spillInputs } from './contract/spills.ts';
import { teamInputs } from './contract/team.ts';
import { timelineInputs } from './contract/timeline.ts';
import { toolInputs } from './contract/tools.ts';
import type { RpcMethod, RpcMethods } from './contract.ts';

const inputs: { readonly [M in RpcMethod]: z.ZodType<RpcMethods[M]['input']> } = {
  ...activityInputs,
  ...appViewInputs,
  ...auditInputs,
  ...coreInputs,
  ...dataFlowInputs,
  ...findInputs,
  ...inboxInputs,
  ...profileInputs,
  ...registryInputs,
  ...runInputs,
  ...savingsInputs,
  ...secretInputs,
  ...serverInputs,
  ...settingsInputs,
  ...setupInputs,
  ...spillInputs,
  ...teamInputs,
  ...timelineInputs,
  ...toolInputs,
};

export function isRpcMethod(method: string): method is RpcMethod {
  return Object.hasOwn(inputs, method);
}

/** Parses the input of a request; unknown members are dropped. Throws AppError `bad_request` that names the problem. */
export function readRpcInput<M extends RpcMethod>(method: M, sent: unknown): RpcMethods[M]['input'] {
  const checked = inputs[method].safeParse(sent ?? {}, { jitless: true });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'The input' : issue.path.join('.');
  throw new AppError('bad_request', `${where} of "${method}": ${issue?.message ?? 'is wrong'}.`);
}
