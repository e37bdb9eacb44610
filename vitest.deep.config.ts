import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// Tests that look at far more cases than a person wants to wait for.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['packages/*/src/**/*.deep.ts', 'tests/**/*.deep.ts'],
      testTimeout: 900_000,
    },
  }),
)
