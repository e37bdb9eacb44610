import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// Against real MCP and ACP programs, which `npm run test:protocols` installs. Some of them take 300 MB, so few files run at once.
export default mergeConfig(
  shared,
  defineConfig({
    test: { include: ['tests/protocols/**/*.protocols.ts'], maxWorkers: 2, testTimeout: 300_000 },
  }),
)
