import { defineConfig, mergeConfig } from 'vitest/config'
import { shared, testsThatMention } from './vitest.shared.ts'

// Tests that look at far more cases than a person wants to wait for: files of their own, and those that know both amounts.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: [
        'packages/*/src/**/*.deep.ts',
        'tests/**/*.deep.ts',
        ...testsThatMention(/CADRE_DEEP|support\/amount/),
      ],
      env: { CADRE_DEEP: '1', CADRE_OPTIONAL: '1' },
      testTimeout: 900_000,
    },
  }),
)
