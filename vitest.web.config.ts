import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

// In a real Chromium, which `npm run test:web` installs. Each file takes a browser, so few run at once.
export default mergeConfig(
  shared,
  defineConfig({
    test: { include: ['tests/web/**/*.web.ts'], maxWorkers: 2, testTimeout: 300_000, hookTimeout: 300_000 },
  }),
)
