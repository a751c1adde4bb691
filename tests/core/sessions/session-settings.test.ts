import { expect, test } from 'vitest';
import { SessionSettingsCache } from '../../../src-main/core/sessions/session-settings.ts';
import type { AppConfig } from '../../../src-main/core/config/app-config.ts';
import { defaultConfig } from '../../../src-main/core/config/default-config.ts';
import { ModeCosts } from '../../../src-main/core/choose-mode.ts';
import { allModes } from '../../../src-main/compat/all-modes.ts';
import { helperContext } from '../modes/helper-context.ts';

type Core = ConstructorParameters<typeof SessionSettingsCache>[1];

/** A core with only the parts that settings depend on. */
function makeCore(changes: Partial<AppConfig> = {}) {
  const { catalog, index, descriptions } = helperContext([]);
  const state = { config: { ...defaultConfig('/c.json'), mode: 'search', ...changes }, catalog };
  const modeCosts = new ModeCosts(allModes);
  const core = {
    config: () => state.config,
    catalog: {
      get current() {
        return state.catalog;
      },
      index,
    },
    descriptions,
    modes: allModes,
    modeCosts,
  } as unknown as Core;
  return { core, state, modeCosts };
}

test('computes settings once and freezes them', () => {
  const settings = new SessionSettingsCache({}, makeCore().core);
  expect(settings.current).toBe(settings.current);
  expect(Object.isFrozen(settings.current)).toBe(true);
  expect(Object.isFrozen(settings.current.view)).toBe(true);
});

test('recomputes settings for another config', () => {
  const { core, state } = makeCore();
  const settings = new SessionSettingsCache({}, core);
  expect(settings.current.mode.name).toBe('search');
  state.config = { ...state.config, mode: 'gateway', extraTools: ['read_result'], raw: true };
  expect(settings.current).toMatchObject({
    mode: { name: 'gateway' },
    extraTools: ['read_result'],
    view: { level: 'full' },
  });
});

test('recomputes settings for another catalog', () => {
  const { core, state } = makeCore();
  const settings = new SessionSettingsCache({}, core);
  const before = settings.current;
  state.catalog = { ...state.catalog };
  expect(settings.current).not.toBe(before);
  expect(settings.current.view.catalog).toBe(state.catalog);
});

test('recomputes settings after tool texts changed', () => {
  const { core, modeCosts } = makeCore();
  const settings = new SessionSettingsCache({}, core);
  const before = settings.current;
  modeCosts.invalidate();
  expect(settings.current).not.toBe(before);
});

test('uses the mode and limits of the client app', () => {
  const { core } = makeCore({ appModes: { cursor: 'code' }, product: 'toolmux' });
  expect(new SessionSettingsCache({ app: 'cursor' }, core).current.mode.name).toBe('code');
  expect(new SessionSettingsCache({ app: 'claude-code' }, core).current.view.level).toBe('lean');
  expect(new SessionSettingsCache({}, core).current.view.level).toBe('toolmux');
});

test('uses the call limit of the app that a request names', () => {
  const { core, state } = makeCore();
  const settings = new SessionSettingsCache({}, core);
  const unnamed = settings.callLimitMs('claude-code');
  expect(unnamed).toBe(new SessionSettingsCache({ app: 'claude-code' }, core).current.callLimitMs);
  state.config = { ...state.config, slowCallSeconds: 7 };
  expect(settings.callLimitMs('claude-code')).toBe(7000);
  expect(settings.current.callLimitMs).toBe(7000);
});

test('rejects an unknown mode at the start, and later keeps the previous mode', () => {
  expect(() => new SessionSettingsCache({ mode: 'turbo' }, makeCore().core)).toThrow('Unknown mode "turbo"');
  const { core, state } = makeCore();
  const settings = new SessionSettingsCache({}, core);
  state.config = { ...state.config, mode: 'turbo' };
  expect(settings.current.mode.name).toBe('search');
});
