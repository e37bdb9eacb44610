import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'

export interface SlowHook {
  /** Resolves when a push waits in the hook. */
  waits(): Promise<void>
  /** Lets this push continue. */
  release(): void
}

/** Makes a repository keep its next push waiting. Later ones do not wait. */
export function addSlowHook(bare: string): SlowHook {
  const at = (name: string) => path.join(bare, name)
  execFileSync('mkfifo', [at('go')])
  const hook = at('hooks/pre-receive')
  writeFileSync(hook, `#!/bin/sh\nmkdir ${at('waits')} 2>&- || exit 0\ncat ${at('go')}\n`)
  chmodSync(hook, 0o755)
  return {
    waits: () => expect.poll(() => existsSync(at('waits'))).toBe(true),
    release() {
      // Unlike a writer alone, this does not wait for a reader, which may have ended.
      closeSync(openSync(at('go'), constants.O_RDWR | constants.O_NONBLOCK))
    },
  }
}
