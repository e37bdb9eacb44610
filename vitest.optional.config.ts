import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/** What a test says whose result could depend on an optional program or on who runs it. */
const depends =
  /bubblewrap|bwrap|dovecot|faketime|getuid|programsWithout|sandbox-support|tmpfs|execute_command/
const folders = ['packages', 'tests', 'examples']

// The tests that `npm test` runs in another way, or skips, where these programs are missing or nobody is root.
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: folders.flatMap((folder) =>
        readdirSync(path.join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
          .map((name) => `${folder}/${name}`)
          .filter((name) => depends.test(readFileSync(path.join(import.meta.dirname, name), 'utf8'))),
      ),
    },
  }),
)
