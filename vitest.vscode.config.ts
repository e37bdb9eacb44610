import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// In real versions of VS Code, which `npm run test:vscode` installs. Each takes a server and a browser, so one file runs at a time.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ['tests/vscode/**/*.vscode.ts'],
      maxWorkers: 1,
      testTimeout: 600_000,
      hookTimeout: 600_000,
    },
  }),
)
