import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { defaultServerConditions } from 'vite'
import type { ViteUserConfig } from 'vitest/config'
import { flakyReporter } from './tests/support/flaky-reporter.ts'

// `cadre-source` makes packages resolve to their sources, so that tests need no build.
const conditions = ['cadre-source', ...defaultServerConditions]

export const shared: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'forks',
    // Test files of a worker share its modules: loading them took longer than the tests. So a test gives back what it changes.
    isolate: false,
    setupFiles: [path.join(import.meta.dirname, 'tests', 'support', 'seed.ts')],
    // One more than there are cores: many tests wait for a process. With more, each loads the modules once more.
    maxWorkers: availableParallelism() + 1,
    // No test depends on time; this only ends one that hangs, on however busy a machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The default of one second is not enough on a busy machine.
    expect: { poll: { timeout: 120_000 } },
    // Cases are seeded, so a defect fails both times. What passes at the second try is named at the end, to be repaired.
    retry: process.env['CI'] ? 1 : 0,
    reporters: ['default', flakyReporter],
  },
}

/** The test files of `npm test` in which this text occurs. */
export function testsThatMention(text: RegExp): string[] {
  const at = (name: string) => path.join(import.meta.dirname, name)
  return ['packages', 'tests', 'examples'].flatMap((folder) =>
    readdirSync(at(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`)
      .filter((name) => text.test(readFileSync(at(name), 'utf8'))),
  )
}
