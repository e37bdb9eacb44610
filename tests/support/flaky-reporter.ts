import type { Reporter, TestModule } from 'vitest/node'

/** Lists the tests that failed first and passed when retried, so that they are noticed. */
export const flakyReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    )
    if (flaky.length > 0)
      console.log(`\nFlaky, passed at the second try:\n${flaky.map((name) => `  ${name}\n`).join('')}`)
  },
}
