/** What a .mcpb manifest says (versions 0.1 to 0.4), as far as a server is made of it. */
import { z } from 'zod';
import { AppError } from '../base/errors.ts';
import { issueText } from '../config/issue-text.ts';

const texts = z.array(z.string());
const variables = z.record(z.string(), z.string());
const launch = z.object({ command: z.string().min(1), args: texts.default([]), env: variables.default({}) });
/** Without defaults: what it leaves out is as on other systems. */
const override = z.object({ command: z.string().min(1), args: texts, env: variables }).partial();

const setting = z.object({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string().default(''),
  description: z.string().default(''),
  required: z.boolean().default(false),
  sensitive: z.boolean().default(false),
  multiple: z.boolean().default(false),
  default: z.union([z.string(), z.number(), z.boolean(), texts]).optional(),
});

const schema = z.object({
  name: z.string().min(1),
  version: z.string().min(1),
  display_name: z.string().optional(),
  description: z.string().default(''),
  server: z.object({
    type: z.enum(['node', 'python', 'binary', 'uv']),
    entry_point: z.string().min(1),
    mcp_config: launch.extend({ platform_overrides: z.record(z.string(), override).default({}) }).optional(),
  }),
  user_config: z.record(z.string(), setting).default({}),
});

export type BundleSetting = z.infer<typeof setting>;

export interface BundleManifest {
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'node' | 'python' | 'binary' | 'uv';
  readonly entryPoint: string;
  readonly launch: BundleLaunch;
  /** By platform, as Node.js names them. */
  readonly overrides: Readonly<Record<string, { [K in keyof BundleLaunch]?: BundleLaunch[K] | undefined }>>;
  readonly settings: Readonly<Record<string, BundleSetting>>;
}

export interface BundleLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Throws AppError config_invalid, naming the first thing that is wrong. */
export function readManifest(value: Record<string, unknown>, file: string): BundleManifest {
  const checked = schema.safeParse(value, { jitless: true });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue === undefined ? '' : ` ${issue.path.join('.')}: ${issueText(issue)}`;
    throw new AppError('config_invalid', `The manifest in ${file} cannot be used.${where}`);
  }
  const { name, version, display_name: title = name, description, server, user_config: settings } = checked.data;
  const { type, entry_point: entryPoint, mcp_config: launched } = server;
  const { platform_overrides: overrides = {}, ...own } = launched ?? usualLaunch(type, entryPoint);
  return { name, version, title, description, type, entryPoint, launch: own, overrides, settings };
}

/** What a manifest that leaves it out means. */
function usualLaunch(type: BundleManifest['type'], entryPoint: string): BundleLaunch & { platform_overrides?: never } {
  const file = `\${__dirname}/${entryPoint}`;
  switch (type) {
    case 'node':
      return { command: 'node', args: [file], env: {} };
    case 'python':
      return { command: 'python', args: [file], env: {} };
    case 'uv':
      return { command: 'uv', args: ['run', '--directory', '${__dirname}', entryPoint], env: {} };
    case 'binary':
      return { command: file, args: [], env: {} };
  }
}
