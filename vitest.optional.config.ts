import { defineConfig, mergeConfig } from 'vitest/config'
import { shared, testFilesThatSay } from './vitest.shared.ts'

/** What a test says whose result could depend on an optional program or on who runs it. */
const depends =
  /bubblewrap|bwrap|dovecot|faketime|getuid|programsWithout|sandbox-support|tmpfs|execute_command/

// The tests that `npm test` runs in another way, or skips, where these programs are missing or nobody is root.
export default mergeConfig(shared, defineConfig({ test: { include: testFilesThatSay(depends) } }))
