import type { Reporter, TestModule } from 'vitest/node'

/** Names the tests that failed first and passed when they were tried again, so that nobody overlooks them. */
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
