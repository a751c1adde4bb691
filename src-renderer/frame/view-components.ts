/** Which component shows which view. */
import type { Component } from 'svelte';
import type { View } from '../lib/routes.svelte.ts';

const found = import.meta.glob<{ readonly default: Component }>('../views/*/*View.svelte', { eager: true });

export const viewComponents: Readonly<Partial<Record<View, Component>>> = Object.fromEntries(
  Object.entries(found).map(([path, module]) => [path.split('/')[2], module.default]),
);
