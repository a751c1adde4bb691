/** Reporter of vitest: lists the tests that failed first and passed when they were repeated. */
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

export class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const flaky = tests.filter((test) => test.diagnostic()?.flaky === true);
    if (flaky.length === 0) return;
    const lines = flaky.flatMap((test) => [
      `  ${test.module.relativeModuleId} > ${test.fullName}`,
      ...(test.result().errors ?? []).map(({ message }) => `    ${message.split('\n', 1)[0]}`),
    ]);
    process.stdout.write(`\nFlaky: passed only when repeated\n${lines.join('\n')}\n`);
  }
}
