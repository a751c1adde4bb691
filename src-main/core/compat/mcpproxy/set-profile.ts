/** set_profile: a session narrows itself to a profile; an empty name takes it back to what its connection was given, and nothing beyond. */
import { AppError } from '../../base/errors.ts';
import type { HelperTool } from '../../modes/mode.ts';
import { jsonResult, refused } from './answers.ts';

export const setProfile: HelperTool = {
  definition: {
    name: 'set_profile',
    description: 'Narrow this session to a profile of the person; "" takes that back.',
    inputSchema: { type: 'object', properties: { profile: { type: 'string' } }, required: ['profile'] },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  run: (input, { profileChoice }) => {
    const { profile } = input;
    if (typeof profile !== 'string') throw refused('The profile is missing.', 'Give its name, or "" for none.');
    if (profileChoice === undefined) {
      throw new AppError(
        'unsupported',
        'A connection of this kind keeps nothing between calls, so it has no profile to set.',
        {
          fix: 'Ask the person to connect you to the address of the profile: /mcp/p/<name>.',
        },
      );
    }
    const chosen = profileChoice.choose(profile === '' ? undefined : profile);
    return Promise.resolve(jsonResult({ active_profile: chosen.profile, servers: chosen.servers }));
  },
};
