/** All modes and helper tools: Tooltray's own and those of other systems, one folder each. */
import { type ModeSet, ModeRegistry } from '../core/modes/mode-registry.ts';
import { universalMode } from './magg/universal-mode.ts';
import { codeExecution } from './mcpproxy/code-execution.ts';
import { retrieveMode } from './mcpproxy/retrieve-mode.ts';
import { upstreamServers } from './mcpproxy/upstream-servers.ts';
import { dispatchMode } from './mini-a/dispatch-mode.ts';
import { toolmuxAdminTools } from './toolmux/admin-tools.ts';
import { gatewayMode, metaMode } from './toolmux/modes.ts';

const sets: readonly ModeSet[] = [
  { modes: [gatewayMode, metaMode], tools: toolmuxAdminTools },
  { modes: [dispatchMode] },
  { modes: [universalMode] },
  { modes: [retrieveMode], tools: [upstreamServers, codeExecution] },
];

export const allModes: Readonly<ModeRegistry> = new ModeRegistry(sets);
