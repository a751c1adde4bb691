/** How Svelte files are built: by Vite, and the widths of theme/breakpoints.css written in where a style names one. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

const file = fileURLToPath(new URL('src-renderer/theme/breakpoints.css', import.meta.url));

const breakpoints = {
  name: 'breakpoints',
  style({ content, filename }) {
    const lines = readFileSync(file, 'utf8').matchAll(/@custom-media (--[\w-]+) (\(.+\));/g);
    const widths = new Map(Array.from(lines, ([, name, width]) => [name, width]));
    const code = content.replaceAll(/@media \((--[\w-]+)\)/g, (_, name) => {
      if (!widths.has(name)) throw new Error(`${filename}: theme/breakpoints.css knows no ${name}.`);
      return `@media ${widths.get(name)}`;
    });
    return { code, dependencies: [file] };
  },
};

export default { preprocess: [breakpoints, vitePreprocess()] };
