import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openCheckoutRepository } from '@cadre/workspaces'
import { describe, expect, test, vi } from 'vitest'
import {
  createTestRepository,
  readIn,
  writeIn,
} from '../../packages/workspaces/src/checkouts/checkouts.spec-helpers.ts'
import { type HttpsServer, hasHttpBackend, password, startHttpsServer, user } from './support/https-server.ts'
import { addSlowHook } from './support/slow-hook.ts'

const root = 'lead-1'
const ref = `refs/cadre/trees/${root}`
const encoded = encodeURIComponent(password)
const userinfo = `${user}:${encoded}`
/** A credential helper that reads the password from the environment. */
const helper = `[credential]\n\thelper = "!f() { echo username=${user}; echo \\"password=$PROJECT_PASSWORD\\"; }; f"\n`

const isPush = (url: string | undefined) => url?.endsWith('/git-receive-pack') === true

const skipped = hasHttpBackend ? '' : ' (skipped: no git http-backend, or this is not test:optional)'

describe.skipIf(!hasHttpBackend)(`a repository over HTTPS${skipped}`, () => {
  test('another worker continues with the files, and nobody sees the password', async () => {
    const repository = createTestRepository()
    const server = await startHttpsServer(repository.folder)
    server.configure({ more: helper })
    vi.stubEnv('PROJECT_PASSWORD', password)
    const a = repository.worker('a', { repository: server.address('project.git', userinfo) })
    const b = repository.worker('b', { repository: server.address('project.git') })
    const programs: string[] = []
    server.intercept = () => {
      programs.push(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }))
      return false
    }
    const first = await a.take(root)
    // More than git sends in one piece.
    writeIn(first.folder, 'a.txt', Array.from({ length: 400_000 }, (_, n) => n * 7919).join('\n'))
    await a.checkouts.store(root)
    server.intercept = undefined
    const second = await b.take(root)
    expect(readIn(second.folder, 'a.txt')).toBe(readIn(first.folder, 'a.txt'))
    writeIn(second.folder, 'b.txt', 'b\n')
    await b.checkouts.finish(root, 'lead', { waits: true })
    expect(repository.git('diff', '--name-status', 'main', `cadre/${root}`)).toBe('M\ta.txt\nA\tb.txt\n')
    expect(programs.join('\n')).toContain('ls-remote')
    const written = ['a', 'b', 'project.git'].map((name) => textsIn(path.join(repository.folder, name)))
    const messages = [a, b].flatMap(({ reports, checkouts }) => [...reports, checkouts.repository])
    for (const text of [...programs, ...written, ...messages, repository.git('log', '--all')])
      for (const secret of [password, encoded]) expect(text).not.toContain(secret)
  })

  test.each<[string, string | undefined, (server: HttpsServer) => void, RegExp]>([
    ['no password', undefined, () => {}, /could not read Username .* Configure a credential helper/],
    ['only a name', user, () => {}, /could not read Password .* Configure a credential helper/],
    ['a wrong password', `${user}:wrong-word`, () => {}, /Authentication failed/],
    ['a password that is not encoded', `${user}:wrong/word`, () => {}, /Encode special characters/],
    [
      'a helper with a wrong password',
      undefined,
      (server) => server.configure({ more: helper }),
      /Authentication failed/,
    ],
    ['an unknown certificate', userinfo, (server) => server.configure({ trust: false }), /certificate/],
    [
      'no right to read',
      userinfo,
      (server) => {
        server.intercept = (_, response) => {
          response.writeHead(403).end()
          return true
        }
      },
      /403/,
    ],
  ])('%s is an error, not a question', async (_, name, change, message) => {
    const repository = createTestRepository()
    const server = await startHttpsServer(repository.folder)
    vi.stubEnv('PROJECT_PASSWORD', 'wrong-word')
    change(server)
    const { list, shown } = openCheckoutRepository(server.address('project.git', name))
    const error = await list([]).then(String, String)
    expect(error).toMatch(message)
    for (const text of [error, shown]) expect(text).not.toMatch(/wrong.word|pass.{1,3}word/)
  })

  test('the password of an address is not sent to a server to which it redirects', async () => {
    const repository = createTestRepository()
    const other = await startHttpsServer(repository.folder)
    const server = await startHttpsServer(repository.folder)
    server.configure({ trust: false, more: '[http]\n\tsslVerify = false\n' })
    const sent: (string | undefined)[] = []
    other.intercept = ({ headers }) => {
      sent.push(headers.authorization)
      return false
    }
    server.intercept = ({ url }, response) => {
      response.writeHead(302, { location: `https://127.0.0.1:${other.port}${url}` }).end()
      return true
    }
    const { list } = openCheckoutRepository(server.address('project.git', userinfo))
    await expect(list([])).rejects.toThrow(/could not read Username|Authentication failed/)
    expect(new Set(sent)).toEqual(new Set([undefined]))
  })

  test('waits while it may not push, and says so', async () => {
    const repository = createTestRepository()
    const server = await startHttpsServer(repository.folder)
    const a = repository.worker('a', { repository: server.address('project.git', userinfo) })
    const { folder, life } = await a.take(root)
    server.intercept = ({ url }, response) => {
      if (!url?.includes('git-receive-pack')) return false
      response.writeHead(403).end('read only')
      return true
    }
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 waits: cannot push to .*403/)
    server.intercept = undefined
    await storing
    expect(repository.show(ref, 'a.txt')).toBe('two\n')
    expect(life.notices.join('\n')).not.toContain('pass')
  })

  test('continues after a connection that was lost during a push, which arrives late', async () => {
    const repository = createTestRepository()
    const server = await startHttpsServer(repository.folder)
    const a = repository.worker('a', { repository: server.address('project.git', userinfo) })
    const { folder, life } = await a.take(root)
    const hook = addSlowHook(repository.bare)
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await hook.waits()
    server.intercept = (_, response) => {
      response.writeHead(503).end()
      return true
    }
    server.hangUp()
    await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 waits: cannot/)
    hook.release()
    await expect.poll(() => repository.show(ref, 'a.txt')).toBe('two\n')
    server.intercept = undefined
    await storing
    expect(life.lost.aborted).toBe(false)
    writeIn(folder, 'a.txt', 'three\n')
    await a.checkouts.store(root)
    expect(repository.show(ref, 'a.txt')).toBe('three\n')
  })

  test('gives up a push that the server does not answer, and repeats it', async () => {
    const repository = createTestRepository()
    const server = await startHttpsServer(repository.folder)
    const options = { repository: server.address('project.git', userinfo), stallSeconds: 1, slowAfter: 1 }
    const a = repository.worker('a', options)
    const { folder, life } = await a.take(root)
    server.intercept = ({ url }) => isPush(url)
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 is waiting for https:\/\/\*\*\*@/)
    await expect.poll(() => life.notices.join('\n')).toMatch(/cannot push to .*too slow/)
    server.intercept = undefined
    await storing
    expect(repository.show(ref, 'a.txt')).toBe('two\n')
  })

  test('a lost tree does not wait for a push that the server does not answer', async () => {
    const repository = createTestRepository()
    const server = await startHttpsServer(repository.folder)
    const a = repository.worker('a', { repository: server.address('project.git', userinfo) })
    const { folder, life } = await a.take(root)
    const asked = new Promise<void>((resolve) => {
      server.intercept = ({ url }) => {
        if (isPush(url)) resolve()
        return isPush(url)
      }
    })
    writeIn(folder, 'a.txt', 'two\n')
    const storing = a.checkouts.store(root)
    await asked
    life.lose()
    await expect(storing).rejects.toThrow()
  })
})

/** All files in a folder, as one text. */
function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}
