/** How the tests of the core run. */
import { join } from 'node:path';
import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { keepTemporaryFilesInMemory } from './scripts/test/memory-folder.ts';
import { FlakyReporter } from './scripts/test/flaky-reporter.ts';
import { beWhereItIsNoon } from './scripts/test/noon.ts';

// Tests start a thousand processes of Node, of a few programs: what was compiled once is taken from here, which halves a start.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

keepTemporaryFilesInMemory();
beWhereItIsNoon();

// Parts of the desktop app import `electron`, which without its binary would try to fetch one; it is not started here.
process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= join(import.meta.dirname, 'tests/stand-in/bin');

/** What measures this process has one of its own. */
const alone = [
  'tests/hostile/*.test.ts',
  'tests/core/config/config-store.test.ts',
  'tests/core/{calls/audit-call,sessions/http/request-ids,sessions/parked-calls,wire/peer}.test.ts',
  'tests/core/base/memory-reclaimer.test.ts',
  // In its process, `electron` is a recorder.
  'tests/desktop/system-parts.test.ts',
  'tests/core/spills/read-worker/{big-files,read-lines}.test.ts',
];
/** Proofs that take as long as many others together: `npm run test:long`. */
const long = [
  'tests/client/package.test.ts',
  'tests/core/code-runner/python-worker/{escapes,limits,programs,python}.test.ts',
  'tests/core/code-runner/speaks-python.test.ts',
  'tests/core/spills/spill-large.test.ts',
  'tests/integration/{containers,floods,huge-frame,killed-steps}.test.ts',
  'tests/core/trust/audit/million.test.ts',
  'tests/real/{confined,enough-to-call,inspector,mcp-apps,mcporter,mode-change,spills,tasks,team-clients,unchanged}.test.ts',
  'tests/core/secrets/secret-service.test.ts',
  'tests/scripts/team-end.test.ts',
  'tests/team/{conformance,image}.test.ts',
  'tests/team/placement/boxed.test.ts',
];
/** Some of whose cases take as long, or say of another one what a cheaper one says: those that are one of a kind run always (`TOOLTRAY_LONG`). */
const longer = [
  'tests/build.test.ts',
  'tests/real/{conformance,sign-in-conformance}.test.ts',
  'tests/cli/records.test.ts',
  'tests/cli/commands/{access,apps,inbox,proposals,registry,run-servers,stdio,team}.test.ts',
  'tests/cli/commands/security/{env,secret}.test.ts',
  'tests/core/activity/{activity-log,call-payloads}.test.ts',
  'tests/core/client-apps/{concurrent-writes,install}.test.ts',
  'tests/core/{condense/enough-to-call,modes/run-code,paste-import/any-text,spills/spill-faults,wire/gathered-bytes}.test.ts',
  'tests/core/servers/{oauth/command,transports/stdio-transport}.test.ts',
  'tests/renderer/views/result/line-diff.test.ts',
  'tests/rpc/handlers/registry.test.ts',
  'tests/shim/shim.test.ts',
  'tests/integration/{bad-input,big-results,flow,held-for-user,killed-core,killed-server,labelled-results}.test.ts',
  'tests/integration/{ledger-results,mcp-apps,pins,principal-calls,principals,profiles,refused-arguments}.test.ts',
  'tests/integration/{server-states,slow-calls,spills,whole-results}.test.ts',
  'tests/team/http/oauth.test.ts',
];
/** Node itself loads the sources, as it does in the processes that tests start: Vite's way costs a fifth more. */
const experimental = { viteModuleRunner: false, nodeLoader: false };
/** A test that failed is repeated once, and the run lists it as flaky: `npm run test:load` repeats nothing, which finds what passes only sometimes. */
const retry = process.env['TOOLTRAY_TEST_RETRIES'] === '0' ? 0 : 1;
const limits = {
  retry,
  ...{ testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } },
  setupFiles: ['scripts/test/loading.ts'],
  experimental,
};

export default defineConfig({
  test: {
    reporters: ['default', new FlakyReporter()],
    // Started when a test asks for it.
    globalSetup: ['tests/support/team-cluster.ts', 'tests/support/team-objects.ts'],
    experimental,
    // Most of them wait for processes: with three, the two cores of CI have nothing to do for a tenth of the time.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: 'shared',
          include: ['tests/**/*.test.ts'],
          // Packing takes a while: `npm run test:package`.
          exclude: ['tests/package/**', ...alone, ...long],
          // No module of ours has state at import time (tests/architecture): files may share a process, and what it has loaded.
          isolate: false,
          ...limits,
        },
      },
      { test: { name: 'alone', include: alone, ...limits } },
      // In both, and more of them in the long one.
      {
        test: {
          name: 'long',
          include: [...long, ...longer],
          env: { TOOLTRAY_LONG: 'yes' },
          ...limits,
        },
      },
    ],
  },
});
