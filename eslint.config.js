// The page's components. All other sources: .oxlintrc.json, with the same rules in a sixth of the time.
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default defineConfig(
  { ignores: ['dist/', 'release/', 'node_modules/', '.cache/', 'test-results/'] },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    extends: [js.configs.recommended, ts.configs.recommendedTypeChecked, svelte.configs.recommended],
    languageOptions: {
      globals: { ...globals.browser },
      parserOptions: {
        parser: ts.parser,
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
        svelteConfig,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // Text of a server may hold any control character; the patterns that clean it must name them.
      'no-control-regex': 'off',
    },
  },
);
