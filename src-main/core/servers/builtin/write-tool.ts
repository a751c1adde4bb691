/** The tool `write_file`. */
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { AppError } from '../../base/errors.ts';
import { shownPath } from '../../security/file-paths.ts';
import { writeConfined } from '../../security/write-confined.ts';
import { answer, textAnswer } from './files.ts';
import type { UtilsOptions } from './utils-options.ts';

const maxBytes = 16 * 1024 * 1024;

export function registerWriteTool(server: McpServer, options: UtilsOptions): void {
  server.registerTool(
    'write_file',
    {
      title: 'Write file',
      description: 'Writes a UTF-8 text file whole, making missing folders. No backup is kept.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      inputSchema: z.object({
        path: z.string(),
        content: z.string(),
        mode: z.enum(['create', 'overwrite', 'append']).default('create'),
      }),
    },
    ({ path, content, mode }) =>
      answer(async () => {
        const bytes = Buffer.byteLength(content);
        if (bytes > maxBytes) throw new AppError('bad_request', `${bytes} bytes are more than the 16 MiB allowed.`);
        const { real, created } = await writeConfined(options.folders, path, content, mode, options);
        const done = created ? 'Created' : mode === 'append' ? 'Appended to' : 'Replaced';
        return textAnswer(`${done} ${shownPath(real)} (${bytes} bytes written).`);
      }),
  );
}
