import { defineConfig, mergeConfig } from 'vitest/config'
import { shared, testsThatMention } from './vitest.shared.ts'

// Against a real Restate server, which `npm run test:scale` installs. The tests of all engines run on it, and its own ones.
const engineTests = testsThatMention(/\beach\(worlds\)|\bof worlds\b/).filter((name) =>
  name.startsWith('tests/engine/'),
)

export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: [...engineTests, 'tests/scale/**/*.scale.ts'],
      globalSetup: ['tests/scale/support/start-server.ts'],
      // The kill suite starts three workers of its own.
      maxWorkers: 2,
      testTimeout: 600_000,
    },
  }),
)
