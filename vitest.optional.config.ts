import { defineConfig, mergeConfig } from 'vitest/config'
import { shared, testsThatMention } from './vitest.shared.ts'

/** What a test mentions if its result could depend on an optional program or on the user. */
const depends =
  /bubblewrap|bwrap|dovecot|faketime|getuid|hasHttpBackend|hasSshd|programsWithout|sandbox-support|tmpfs|execute_command/

// The tests that `npm test` runs in another way, or skips, where these programs are missing or the user is not root.
export default mergeConfig(
  shared,
  defineConfig({ test: { include: testsThatMention(depends), env: { CADRE_OPTIONAL: '1' } } }),
)
