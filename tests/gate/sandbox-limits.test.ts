import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type CommandEnd, describeLimit } from '@cadre/gate'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { bubblewrap, createWorld, type World, without } from './sandbox-support.ts'

const it = sampled(6)

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

const isLinux = process.platform === 'linux'
const both = [bubblewrap, without].filter((sandbox, at) => at === 1 || sandbox.kind === 'bubblewrap')

const said = ({ limit }: CommandEnd) => (limit === undefined ? '' : describeLimit(limit))

/** Processes whose command line contains a text. */
const running = (text: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
    } catch {
      return false
    }
  })

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'])
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!isLinux).each(both)('a command ($kind) is stopped', (sandbox) => {
  const limits = { memoryMegabytes: 300, processes: 60, fileMegabytes: 4 }

  it.each([
    ['node', `node -e 'const a = []; for (;;) a.push(Buffer.alloc(8e6, 1))'`],
    ['python3', `python3 -c 'a = []\nwhile True: a.append(bytearray(8000000))'`],
    [
      'a shell that expands braces',
      'echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}',
    ],
    [
      'several processes that each use little',
      `for i in 1 2 3 4 5 6 7 8; do node -e 'const a = Buffer.alloc(9e7, 1); setInterval(() => a.length, 1e6)' & done; wait`,
    ],
    [
      'a process in its own session',
      `setsid node -e 'const a = []; for (;;) a.push(Buffer.alloc(8e6, 1))' & tail -f /dev/null`,
    ],
  ])('when it uses too much memory: %s', async (name, command) => {
    if (name === 'python3' && !hasPython) return
    const end = await world.run(command, { sandbox, limits })
    expect(end).toMatchObject({ kind: 'over_limit', limit: { kind: 'memory', value: 300 } })
    expect(said(end)).toContain('300 MiB of memory')
  })

  it('when it keeps starting processes, and none of them is left', async () => {
    const name = `cadre-test-bomb-${process.pid}-${sandbox.kind}`
    const end = await world.run(
      `for i in $(seq 300); do bash -c 'exec -a ${name} tail -f /dev/null' & done; wait`,
      { sandbox, limits },
    )
    expect(end).toMatchObject({ kind: 'over_limit', limit: { kind: 'processes', value: 60 } })
    expect(said(end)).toContain('60 processes')
    while (running(name).length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it('when it starts processes that leave its session', async () => {
    const name = `cadre-test-leave-${process.pid}-${sandbox.kind}`
    const end = await world.run(
      `for i in $(seq 300); do setsid bash -c 'exec -a ${name} tail -f /dev/null' & done; wait`,
      {
        sandbox,
        limits,
      },
    )
    expect(end.limit).toEqual({ kind: 'processes', value: 60 })
    while (running(name).length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it.each([
    ['yes', 'yes > f'],
    ['dd', 'exec dd if=/dev/zero of=f bs=1M count=100'],
  ])('when it writes a file that is too large: %s', async (_, command) => {
    const end = await world.run(command, { sandbox, limits })
    expect(end).toMatchObject({ kind: 'over_limit', limit: { kind: 'file_size', value: 4 } })
    expect(said(end)).toContain('4 MiB')
    expect(statSync(world.at('f')).size).toBeLessThanOrEqual(4 * 1024 * 1024)
  })

  it('only when it exceeds a limit: shared memory counts once', async () => {
    // One large mapping, shared by ten processes after a fork.
    const shared = `python3 -c '
import os, time
a = bytearray(100000000)
for i in range(9):
    if os.fork() == 0:
        time.sleep(0.6)
        os._exit(0)
time.sleep(0.6)
print(len(a))'`
    const command = hasPython ? shared : 'sleep 0.3; echo 100000000'
    expect(await world.run(command, { sandbox, limits })).toMatchObject({
      kind: 'exited',
      output: '100000000\n',
    })
  })
})

describe.skipIf(bubblewrap.kind === 'none')('in the sandbox, files in memory', () => {
  it.each(['/tmp', '/dev/shm', '/var/tmp'])('count as memory: %s', async (folder) => {
    const limits = { memoryMegabytes: 200 }
    const fill = (name: string) => `dd if=/dev/zero of=${folder}/${name} bs=1M count=99 2>/dev/null`
    const others = ['/tmp', '/dev/shm', '/var/tmp'].map(
      (other) => `dd if=/dev/zero of=${other}/b bs=1M count=95`,
    )
    // Each of them may use half of the limit, and all together no more than the limit.
    const one = await world.run(`${fill('a')}; ${fill('b')}; echo ended with $?`, { limits })
    expect(one).toMatchObject({ kind: 'exited', output: 'ended with 1\n' })
    const all = await world.run(`${others.join('; ')}; tail -f /dev/null`, { limits })
    expect(all).toMatchObject({ kind: 'over_limit', limit: { kind: 'memory', value: 200 } })
  })

  it('cannot be created in /dev itself', async () => {
    expect((await world.run('echo x > /dev/x; echo y > /dev/null && echo fine')).output).toMatch(
      /Read-only.*\nfine\n$/,
    )
  })
})
