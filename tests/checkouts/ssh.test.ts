import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { openCheckoutRepository } from '@cadre/workspaces'
import { describe, expect, test } from 'vitest'
import {
  createTestRepository,
  readIn,
  writeIn,
} from '../../packages/workspaces/src/checkouts/checkouts.spec-helpers.ts'
import { addSlowHook } from './support/slow-hook.ts'
import { hasSshd, type Sshd, startSshd } from './support/sshd.ts'

const root = 'lead-1'
const ref = `refs/cadre/trees/${root}`

const skipped = hasSshd ? '' : ' (skipped: sshd is not installed, or this is not test:optional)'

describe.skipIf(!hasSshd)(`a repository over SSH${skipped}`, () => {
  test('another worker continues with the files, and the result is on a branch', async () => {
    const repository = createTestRepository()
    const sshd = await startSshd()
    const a = repository.worker('a', { repository: sshd.address(repository.bare) })
    const b = repository.worker('b', { repository: sshd.shortAddress(repository.bare) })
    const first = await a.take(root)
    writeIn(first.folder, 'a.txt', 'two\n')
    await a.checkouts.store(root)
    const second = await b.take(root)
    expect(readIn(second.folder, 'a.txt')).toBe('two\n')
    writeIn(first.folder, 'a.txt', 'stale\n')
    await expect(a.checkouts.store(root)).rejects.toThrow('another worker has taken over')
    writeIn(second.folder, 'b.txt', 'b\n')
    await b.checkouts.finish(root, 'lead', { waits: true })
    expect(repository.git('diff', '--name-status', 'main', `cadre/${root}`)).toBe('M\ta.txt\nA\tb.txt\n')
    expect(sshd.calls().every((call) => call.includes('-o BatchMode=yes'))).toBe(true)
    // The name of the user is not a secret, and agents need it for `git fetch`.
    expect(readIn(first.folder, '.git/config')).toContain(`url = ${sshd.address(repository.bare)}`)
  })

  test.each<[string, (sshd: Sshd) => void, RegExp]>([
    ['an unknown server', (sshd) => sshd.know(), /Host key verification failed\. As the user who runs Cadre/],
    ['a server with another key', (sshd) => sshd.know('another key'), /has changed.*known_hosts file/],
    ['no key', (sshd) => sshd.replaceKey(undefined), /Permission denied \(publickey\)/],
    ['a wrong key', (sshd) => sshd.replaceKey({ passphrase: '' }), /Permission denied \(publickey\)/],
    [
      'a key with a passphrase',
      (sshd) => {
        sshd.replaceKey({ passphrase: 'unknown-words' })
        sshd.authorise()
      },
      /Permission denied \(publickey\)/,
    ],
  ])('%s is an error, not a question', async (_, change, message) => {
    const repository = createTestRepository()
    const sshd = await startSshd()
    change(sshd)
    const { list } = openCheckoutRepository(sshd.address(repository.bare))
    await expect(list([])).rejects.toThrow(message)
  })

  test('the ssh command of the user stays as it is', async () => {
    const repository = createTestRepository()
    const sshd = await startSshd()
    writeFileSync(path.join(sshd.home, '.gitconfig'), '[core]\n\tsshCommand = ssh -o LogLevel=ERROR\n')
    const { list } = openCheckoutRepository(sshd.address(repository.bare))
    expect((await list([])).defaultBranch).toBe('refs/heads/main')
    expect(sshd.calls()).toEqual([expect.stringMatching(/^-o LogLevel=ERROR (?!.*BatchMode)/)])
  })

  test('waits while its key is refused, and says so', async () => {
    const repository = createTestRepository()
    const sshd = await startSshd()
    const a = repository.worker('a', { repository: sshd.address(repository.bare) })
    const { folder, life } = await a.take(root)
    sshd.refuse()
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 waits: cannot .* Permission denied/)
    sshd.authorise()
    await storing
    expect(life.notices.at(-1)).toBeUndefined()
    expect(repository.show(ref, 'a.txt')).toBe('two\n')
  })

  test('continues after a server that was lost during a push, which arrives late', async () => {
    const repository = createTestRepository()
    const sshd = await startSshd()
    const a = repository.worker('a', { repository: sshd.address(repository.bare) })
    const { folder, life } = await a.take(root)
    const hook = addSlowHook(repository.bare)
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await hook.waits()
    await sshd.stop()
    await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 waits: cannot .* Connection refused/)
    hook.release()
    await sshd.start()
    await storing
    expect(life.lost.aborted).toBe(false)
    expect(repository.show(ref, 'a.txt')).toBe('two\n')
    writeIn(folder, 'a.txt', 'three\n')
    await a.checkouts.store(root)
    expect(repository.show(ref, 'a.txt')).toBe('three\n')
  })

  test('gives up a push to a server that no longer answers, and repeats it', async () => {
    const repository = createTestRepository()
    const sshd = await startSshd()
    const options = { repository: sshd.address(repository.bare), stallSeconds: 1, slowAfter: 1 }
    const a = repository.worker('a', options)
    const { folder, life } = await a.take(root)
    const hook = addSlowHook(repository.bare)
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await hook.waits()
    expect(life.notices.at(-1)).toMatch(/^lead-1 is waiting for ssh:/)
    sshd.suspend()
    await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 waits: cannot .* (T|t)imed? ?out/)
    await sshd.stop()
    hook.release()
    await sshd.start()
    await storing
    expect(repository.show(ref, 'a.txt')).toBe('two\n')
  })

  test('a lost tree does not wait for a server that no longer answers', async () => {
    const repository = createTestRepository()
    const sshd = await startSshd()
    const a = repository.worker('a', { repository: sshd.address(repository.bare) })
    const { folder, life } = await a.take(root)
    const hook = addSlowHook(repository.bare)
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await hook.waits()
    sshd.suspend()
    life.lose()
    await expect(storing).rejects.toThrow()
    await sshd.stop()
    hook.release()
  })
})
