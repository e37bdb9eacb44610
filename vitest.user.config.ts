import { defineConfig, mergeConfig } from 'vitest/config'
import { shared, testsThatMention } from './vitest.shared.ts'

// The tests whose result can depend on who runs them: root may read and write everything, mount, and start any number of
// processes.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      env: { CADRE_OPTIONAL: '1' },
      include: testsThatMention(/getuid|noMount|sandbox-support|EACCES|EPERM|dovecot/),
    },
  }),
)
