import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSecrets } from './open-secrets.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'cadre-secrets-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const folder = () => path.join(root, 'secrets')

it('without a secret store, keeps secrets in files that only this user can read', async () => {
  const secrets = openSecrets({ env: { PATH: root }, folder: folder() })
  expect(await secrets.read('a')).toBeUndefined()
  expect(await secrets.write('a', 'hunter2')).toContain('this machine has no secret store')
  await secrets.write('b', 'other')
  expect([await secrets.read('a'), await secrets.read('b')]).toEqual(['hunter2', 'other'])
  for (const name of readdirSync(folder())) {
    expect(statSync(path.join(folder(), name)).mode & 0o777).toBe(0o600)
    expect(name).not.toContain('hunter2')
  }
  expect(statSync(folder()).mode & 0o777).toBe(0o700)
  await secrets.remove('a')
  await secrets.remove('a')
  expect([await secrets.read('a'), await secrets.read('b')]).toEqual([undefined, 'other'])
})

it.runIf(process.platform === 'linux')(
  'uses the keyring, and no secret is in a command line or a file',
  async () => {
    const log = path.join(root, 'log')
    const store = path.join(root, 'store')
    const script = `#!/bin/sh
echo "$@" >> ${log}
case "$1" in
  store) /bin/cat > ${store} ;;
  lookup) /bin/cat ${store} ;;
  clear) /bin/rm -f ${store} ;;
esac
`
    writeFileSync(path.join(root, 'secret-tool'), script)
    chmodSync(path.join(root, 'secret-tool'), 0o755)
    const secrets = openSecrets({ env: { PATH: root }, folder: folder() })
    expect(await secrets.write('mcp:1:oauth', '{"a":1}')).toBe('the keyring (secret-tool)')
    expect(await secrets.read('mcp:1:oauth')).toBe('{"a":1}')
    expect(readFileSync(log, 'utf8')).not.toContain('{')
    await secrets.remove('mcp:1:oauth')
    expect(await secrets.read('mcp:1:oauth')).toBeUndefined()
    expect(() => readdirSync(folder())).toThrow()
  },
)
