import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// The crash sweep: many process deaths, too slow for every run of the tests.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['tests/crash/**/*.crash.ts'],
      globalSetup: ['tests/crash/bundle-victim.ts'],
      // Whatever waits fails earlier, and says what it waited for: see `tests/crash/with-deadline.ts`.
      testTimeout: 1_200_000,
    },
  }),
)
