/** `magg_reload_config`: the config file read again now. What differs takes effect by itself anyway. */
import { maggTool } from './magg-tool.ts';

export const reloadConfig = maggTool({
  name: 'magg_reload_config',
  description: 'Read the config file again.',
  async run(_input, { admin }) {
    const problems = (await admin.reload()).filter(({ severity }) => severity === 'error');
    const errors = problems.map(({ line, path, reason }) => `Line ${line}, ${path}: ${reason}`);
    const message =
      errors.length === 0 ? 'The configuration was read again.' : 'The last good configuration stays in use.';
    return { errors, output: { message, config_path: admin.configPath, read_only: false } };
  },
});
