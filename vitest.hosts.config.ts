import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// Against the real Claude Code and Copilot CLI, which `npm run test:hosts` installs. Each takes 300 MB, so few files run at once.
export default mergeConfig(
  shared,
  defineConfig({ test: { include: ['tests/hosts/**/*.hosts.ts'], maxWorkers: 2, testTimeout: 300_000 } }),
)
