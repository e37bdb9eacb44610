import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCheckoutRepository } from './checkout-repository.ts'
import { createTestRepository, gitIn, writeIn } from './checkouts.spec-helpers.ts'

const secret = 'hunter2-secret-token'

test.skipIf(process.platform !== 'linux')(
  'a password is not in the arguments of a process, which every user of the machine can read',
  async () => {
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const repository = openCheckoutRepository(`http://ann:${secret}@127.0.0.1:${port}/project.git`)
    const stop = new AbortController()
    const asked = new Promise<void>((resolve) => server.once('request', () => resolve()))
    const listing = repository.list(['refs/x'], stop.signal).catch(() => {})
    await asked
    const commands = commandLines()
    stop.abort()
    await listing
    expect(commands.filter((line) => line.includes(`127.0.0.1:${port}/project.git`))).not.toEqual([])
    expect(commands.filter((line) => line.includes(secret))).toEqual([])
  },
)

test('a long token in the address is not shown', () => {
  // Tokens of some servers are JWTs of 1 to 3 KB.
  const token = 'eyJ0eXAiOiJKV1Qi'.padEnd(1200, 'x')
  for (const userinfo of [`oauth2:${token}`, token])
    expect(openCheckoutRepository(`https://${userinfo}@127.0.0.1:9/project.git`).shown).toBe(
      'https://***@127.0.0.1:9/project.git',
    )
})

test('git does not run with a password that Cadre cannot hide', async () => {
  const repository = openCheckoutRepository(`https://ann:a/${secret}@127.0.0.1:9/project.git`)
  const error = await repository.list([]).then(String, String)
  expect(error).toMatch(
    /cannot read https:\/\/\*\*\*@127\.0\.0\.1:9\/project\.git: .*Encode special characters/,
  )
  expect(repository.shown + error).not.toContain(secret)
})

test('a push that is refused again has the same reason, although it pushes another commit', async () => {
  const { bare } = createTestRepository()
  const hook = 'hooks/pre-receive'
  writeIn(bare, hook, '#!/bin/sh\nread -r from to ref\necho "no space for $to" >&2\nexit 1\n')
  chmodSync(path.join(bare, hook), 0o755)
  const repository = openCheckoutRepository(bare)
  const reasons: string[] = []
  for (const text of ['one', 'two']) {
    const commit = gitIn(bare, 'commit-tree', '-m', text, 'HEAD^{tree}').trim()
    const push = repository.push([{ ref: 'refs/x', commit, expected: undefined }], {
      cwd: bare,
      gitDir: bare,
    })
    reasons.push(await push.then(String, String))
  }
  expect(reasons[0]).toMatch(/cannot push to .*no space for COMMIT .*COMMIT -> refs\/x/)
  expect(reasons[1]).toBe(reasons[0])
})

function commandLines(): readonly string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')] : []
    } catch {
      // It has ended.
      return []
    }
  })
}
