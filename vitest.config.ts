import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts', 'examples/**/*.test.ts'],
    },
  }),
)
