import { defineConfig, mergeConfig } from 'vitest/config'
import { shared, testsThatMention } from './vitest.shared.ts'

// The tests that `npm test` runs in another way, or skips, where optional programs are missing or nobody is root.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: testsThatMention(
        /bubblewrap|bwrap|dovecot|faketime|getuid|programsWithout|sandbox-support|tmpfs|execute_command/,
      ),
    },
  }),
)
