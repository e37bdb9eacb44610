import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// Installs the packed command as users do. `npm run test:install` packs it first.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['tests/install/**/*.install.ts'],
      maxWorkers: 1,
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }),
)
