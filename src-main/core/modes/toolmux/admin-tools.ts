/** ToolMux's tools that administer servers: callable in every mode, listed where the config exposes them. */
import type { HelperTool } from '../mode.ts';
import { manageServers } from './manage-servers.ts';
import { optimizeDescriptions } from './optimize-descriptions.ts';

export const toolmuxAdminTools: readonly HelperTool[] = [manageServers, optimizeDescriptions];
