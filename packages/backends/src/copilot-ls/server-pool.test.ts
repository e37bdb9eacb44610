import { createFakeClock } from '@cadre/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PooledServer, ServerPool } from './server-pool.ts'
import { type ToolSet, toolSetOf } from './tool-set.ts'

/** A server that only keeps its turns open. */
class IdleServer implements PooledServer {
  process = { isRunning: true, stop: async () => this.die() }
  sessions: string[] = []
  set: ToolSet | undefined
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get isBusy(): boolean {
    return this.sessions.length > 0
  }

  async register(set: ToolSet): Promise<string | undefined> {
    this.set = set
    if (set.tools[0]?.name === 'worse') throw new Error('cannot read tools')
    return set.tools[0]?.name === 'bad' ? 'rejected' : undefined
  }

  end(session: string): void {
    this.sessions = this.sessions.filter((other) => other !== session)
    this.#changed()
  }

  die(): void {
    this.process.isRunning = false
    this.#changed()
  }
}

const waitTimeoutMs = 1_000

function openPool(limit: number) {
  const clock = createFakeClock()
  const opened: IdleServer[] = []
  const pool = new ServerPool<IdleServer>({
    clock,
    limit,
    waitTimeoutMs,
    async open(changed) {
      const server = new IdleServer(changed)
      opened.push(server)
      return { kind: 'opened', server }
    },
  })
  const running = () => opened.filter(({ process }) => process.isRunning)
  const begin = async (tool: string, session: string, signal = new AbortController().signal) => {
    const begun = await pool.begin(
      setOf(tool),
      session,
      (server) => {
        expect(server.set?.key).toBe(setOf(tool).key)
        expect(server.process.isRunning).toBe(true)
        server.sessions = [...server.sessions, session]
        return server
      },
      signal,
    )
    if (begun.kind !== 'begun') throw new Error(begun.kind)
    return begun.value
  }
  return { pool, clock, opened, running, begin }
}

const setOf = (tool: string) => toolSetOf([{ name: tool, description: 'd', parameters: {} }])
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the pool', () => {
  it('shares a process among sessions with the same tools', async () => {
    const { begin, opened } = openPool(4)
    const [one, two] = await Promise.all([begin('a', 's1'), begin('a', 's2')])
    expect(one).toBe(two)
    expect(opened).toHaveLength(1)
  })

  it('gives tools to a process without any', async () => {
    const { pool, begin, opened } = openPool(4)
    await pool.ask(async () => 'listed', new AbortController().signal)
    await begin('a', 's1')
    expect(opened).toHaveLength(1)
  })

  it('lets a further set wait until a process has no turn, and stops that process', async () => {
    const { begin, running, opened } = openPool(2)
    const a = await begin('a', 's1')
    await begin('b', 's2')
    const third = begin('c', 's3')
    await settled()
    expect(opened).toHaveLength(2)
    a.end('s1')
    expect((await third).set?.key).toBe(setOf('c').key)
    expect(a.process.isRunning).toBe(false)
    expect(running()).toHaveLength(2)
  })

  it('never lets a session wait for an ancestor, and stops extra processes when idle', async () => {
    const { pool, begin, running } = openPool(1)
    pool.note('child', 'parent')
    const parent = await begin('a', 'parent')
    const child = await begin('b', 'child')
    expect(running()).toHaveLength(2)
    child.end('child')
    parent.end('parent')
    await settled()
    expect(running()).toEqual([parent])
  })

  it('opens one more process for a request that has waited long enough, and stops it when idle', async () => {
    const { begin, clock, running, opened } = openPool(1)
    const first = await begin('a', 's1')
    const waiting = begin('b', 's2')
    clock.advance(waitTimeoutMs - 1)
    await settled()
    expect(opened).toHaveLength(1)
    clock.advance(1)
    const second = await waiting
    expect(running()).toEqual([first, second])
    second.end('s2')
    await settled()
    expect(running()).toEqual([first])
  })

  it('notifies all waiting requests if a server cannot be opened or given tools', async () => {
    const clock = createFakeClock()
    const broken = new ServerPool<IdleServer>({
      clock,
      open: async () => {
        throw new Error('no such folder')
      },
    })
    const signal = new AbortController().signal
    expect(await broken.begin(setOf('a'), 's1', () => {}, signal)).toEqual({
      kind: 'failed',
      message: 'cannot use the Copilot language server: no such folder',
    })
    const { pool, begin } = openPool(4)
    const begun = await pool.begin(setOf('worse'), 's1', () => {}, signal)
    expect(begun).toMatchObject({ kind: 'failed', message: expect.stringContaining('cannot read tools') })
    await begin('a', 's2')
  })

  it('removes a cancelled request from the queue', async () => {
    const { begin, opened } = openPool(1)
    await begin('a', 's1')
    const stopper = new AbortController()
    const waiting = begin('b', 's2', stopper.signal)
    stopper.abort()
    await expect(waiting).rejects.toThrow('cancelled')
    expect(opened).toHaveLength(1)
  })

  it('replaces a process that has died', async () => {
    const { begin, opened } = openPool(1)
    ;(await begin('a', 's1')).die()
    await begin('a', 's2')
    expect(opened).toHaveLength(2)
  })

  it('stops an unused process after a while', async () => {
    const { begin, clock, running } = openPool(4)
    const server = await begin('a', 's1')
    clock.advance(60 * 60_000)
    expect(running()).toHaveLength(1)
    server.end('s1')
    clock.advance(5 * 60_000)
    await settled()
    expect(running()).toHaveLength(0)
  })

  it('reports why tools were rejected, to sessions with these tools', async () => {
    const { pool, begin } = openPool(4)
    const begun = await pool.begin(setOf('bad'), 's1', () => {}, new AbortController().signal)
    expect(begun).toEqual({ kind: 'failed', message: 'rejected', isTransient: false })
    await begin('a', 's2')
  })

  it('answers every session in any tree in which parents wait for children', async () => {
    const node = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.record({
        tool: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        children: fc.oneof(
          { depthSize: 'small', maxDepth: 4 },
          fc.constant([]),
          fc.array(tie('tree'), { maxLength: 3 }),
        ),
      }),
    })).tree
    await fc.assert(
      fc.asyncProperty(
        fc.array(node, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 4 }),
        async (trees, limit) => {
          const { pool, begin } = openPool(limit)
          let sessions = 0
          const run = async ({ tool, children }: Tree, parent?: string): Promise<void> => {
            sessions += 1
            const session = `s${sessions}`
            pool.note(session, parent)
            const server = await begin(tool, session)
            await Promise.all(children.map((child) => run(child, session)))
            server.end(session)
            pool.forget(session)
          }
          await Promise.all(trees.map((tree) => run(tree)))
        },
      ),
      { numRuns: 100 },
    )
  })
})

interface Tree {
  readonly tool: string
  readonly children: readonly Tree[]
}
