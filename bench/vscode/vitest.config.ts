import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from '../../vitest.shared.ts'

export default mergeConfig(
  shared,
  defineConfig({
    test: { include: ['bench/vscode/*.bench.ts'], maxWorkers: 1, testTimeout: 1_800_000, retry: 0 },
  }),
)
