import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// Against the real packages of Copilot, which `npm run test:copilot` installs. Each server takes 400 MB, so few files run at once.
export default mergeConfig(
  shared,
  defineConfig({ test: { include: ['tests/copilot/**/*.copilot.ts'], maxWorkers: 2, testTimeout: 300_000 } }),
)
