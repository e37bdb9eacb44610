import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { temporaryHome } from '../page.spec-helpers.ts'
import { consumeLogin, hashOf, loginFolder, removeOldLogins, writeLogin } from './login-file.ts'

it.skipIf(process.platform === 'win32')('ignores pipes, links and large files, and does not wait', () => {
  const home = temporaryHome()
  const at = (secret: string) => path.join(home.folder(...loginFolder), hashOf(secret))
  execFileSync('mkfifo', [at('pipe')])
  symlinkSync('/dev/zero', at('link'))
  writeFileSync(at('large'), JSON.stringify({ at: Date.now(), by: 'a'.repeat(5000), roles: ['admin'] }))
  const own = writeLogin(home, { by: 'ann', roles: ['viewer'] })
  for (const secret of ['pipe', 'link', 'large']) expect(consumeLogin(home, secret)).toBeUndefined()
  expect(removeOldLogins(home)).toBe(1)
  expect(['pipe', 'link', 'large'].map((secret) => existsSync(at(secret)))).toEqual([false, false, false])
  expect(consumeLogin(home, own)).toMatchObject({ by: 'ann', roles: ['viewer'] })
  expect(consumeLogin(home, own)).toBeUndefined()
})
