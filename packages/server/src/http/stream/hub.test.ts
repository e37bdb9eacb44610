import type { SessionRow, StreamEvent } from '@cadre/api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHub, type Hub, type Sink } from './hub.ts'

/** A reader that buffers its input until the test reads it. */
function testSink() {
  let waiting = ''
  const sink: Sink & { text: string; isEnded: boolean; isCut: boolean; take(): string } = {
    text: '',
    isEnded: false,
    isCut: false,
    write(text) {
      waiting += text
    },
    behind: () => waiting.length,
    end(text) {
      waiting += text
      sink.isEnded = true
    },
    destroy() {
      sink.isCut = true
    },
    take() {
      const taken = waiting
      sink.text += taken
      waiting = ''
      return taken
    },
  }
  return sink
}

function rowOf(id: string, work: string, seq: number): SessionRow {
  const usage = { input: 0, output: 0 }
  const subtree = { sessions: 1, calls: 0, waiting: 0, usage }
  const common = { depth: 0, state: 'working', created: '', updated: '', usage, subtree } as const
  return { id, agent: 'lead', root: id, work, seq, ...common }
}

const options = { login: 'a', index: true, roots: [] }
const note = (hub: Hub, work = '') => hub.publish((seq) => ({ type: 'row', row: rowOf('s', work, seq) }))
const idsIn = (text: string) => [...text.matchAll(/^id: (.*)\ndata: ./gm)].map(([, id]) => id)
const textEvent: StreamEvent = {
  type: 'event',
  root: 'r',
  event: { type: 'text.added', round: 1, text: 'x'.repeat(100), seq: 1, at: '', session: 'r' },
}

describe('the stream', () => {
  it('continues exactly after an id of this life', () => {
    const hub = createHub()
    const start = hub.at()
    for (let count = 0; count < 5; count++) note(hub)
    const sink = testSink()
    hub.open(sink, { ...options, after: start.replace('.0', '.2') })
    note(hub)
    expect(idsIn(sink.take()).map((id) => id?.split('.')[1])).toEqual(['3', '4', '5', '6'])
  })

  it.each([
    ['another life', '00000000.1'],
    ['no id of ours', 'nonsense'],
    ['the future', 'LIFE.99'],
    ['a position that is no longer kept', 'LIFE.0'],
  ])('starts with a reset after %s', (_, after) => {
    const hub = createHub({ events: 3 })
    const [life = ''] = hub.at().split('.')
    for (let count = 0; count < 10; count++) note(hub)
    const sink = testSink()
    hub.open(sink, { ...options, after: after.replace('LIFE', life) })
    expect(sink.take()).toBe(`event: reset\nid: ${hub.at()}\ndata:\n\n`)
  })

  it('sends a reset instead of more past events than a reader may receive', () => {
    const hub = createHub({ replay: 1000 })
    const after = hub.at()
    for (let count = 0; count < 10; count++) note(hub, 'x'.repeat(200))
    const sink = testSink()
    hub.open(sink, { ...options, after })
    expect(sink.take()).toContain('event: reset')
  })

  it('sends rows and events only to readers that want them', () => {
    const hub = createHub()
    const [all, tree, nothing] = [testSink(), testSink(), testSink()]
    hub.open(all, options)
    hub.open(tree, { login: 'b', index: false, roots: ['r'] })
    hub.open(nothing, { login: 'c', index: false, roots: ['other'] })
    hub.publish((seq) => ({ type: 'row', row: rowOf('r', '', seq) }))
    hub.send(textEvent)
    hub.publish(() => ({ type: 'tasks.changed' }))
    const typesIn = (sink: typeof all) =>
      [...sink.take().matchAll(/"type":"(row|event|tasks.changed)"/g)].map(([, type]) => type)
    expect([typesIn(all), typesIn(tree), typesIn(nothing)]).toEqual([
      ['row', 'tasks.changed'],
      ['row', 'event', 'tasks.changed'],
      ['tasks.changed'],
    ])
  })

  it('omits text for a reader that is behind, and disconnects a reader that never reads', () => {
    const hub = createHub({ behind: 1000, cut: 5000 })
    const sink = testSink()
    hub.open(sink, { ...options, roots: ['r'] })
    for (let count = 0; count < 100; count++) hub.send(textEvent)
    expect(sink.behind()).toBeLessThan(1500)
    expect(sink.isCut).toBe(false)
    for (let count = 0; count < 100; count++) note(hub)
    expect([sink.isCut, hub.readers()]).toEqual([true, 0])
    expect(sink.behind()).toBeLessThan(5500)
  })

  it('pauses the oldest stream of a login that has too many', () => {
    const hub = createHub({ streamsPerLogin: 2 })
    const sinks = [testSink(), testSink(), testSink()]
    for (const sink of sinks) hub.open(sink, options)
    const other = testSink()
    hub.open(other, { ...options, login: 'b' })
    expect(sinks.map(({ isEnded }) => isEnded)).toEqual([true, false, false])
    expect(sinks[0]?.take()).toContain('event: parked')
    expect(hub.readers()).toBe(3)
  })

  it('pauses a stream of the person who has the most, and no stream of other people', () => {
    const hub = createHub({ streams: 4 })
    const first = testSink()
    hub.open(first, options)
    const sinks = ['b', 'c', 'd', 'e'].map((login) => {
      const sink = testSink()
      hub.open(sink, { ...options, login, person: 'eve' })
      return sink
    })
    expect([first, ...sinks].map(({ isEnded }) => isEnded)).toEqual([false, true, false, false, false])
    expect(hub.readers()).toBe(4)
  })

  it('does not keep events if no reader can reconnect', () => {
    const hub = createHub()
    let made = 0
    hub.publish((seq) => {
      made += 1
      return { type: 'row', row: rowOf('s', '', seq) }
    })
    expect([made, hub.isAwake(), hub.seq()]).toEqual([0, false, 1])
    hub.at()
    note(hub)
    expect(hub.isAwake()).toBe(true)
    hub.close()
  })

  it('keeps a limited number of bytes, no matter how large the events are', () => {
    const hub = createHub({ bytes: 10_000 })
    const after = hub.at()
    for (let count = 0; count < 1000; count++) note(hub, 'x'.repeat(500))
    const sink = testSink()
    hub.open(sink, { ...options, after: after.replace('.0', '.990') })
    expect(idsIn(sink.take()).length).toBe(10)
    const late = testSink()
    hub.open(late, { ...options, after: after.replace('.0', '.900') })
    expect(late.take()).toContain('event: reset')
  })
})

type Step = 'change' | 'text' | 'read' | 'cut' | 'connect' | 'restart'

/** A page: it reads a snapshot, applies the stream, reconnects with its last id, and reloads after a reset. */
class TestReader {
  readonly rows = new Map<string, SessionRow>()
  last: string | undefined
  resets = 0
  #sink: ReturnType<typeof testSink> | undefined
  #leave = () => {}
  readonly world: { hub: Hub; rows: Map<string, SessionRow> }

  constructor(world: TestReader['world']) {
    this.world = world
    this.snapshot()
  }
  snapshot() {
    this.last = this.world.hub.at()
    this.rows.clear()
    for (const [id, row] of this.world.rows) this.rows.set(id, row)
  }
  connect() {
    if (this.#sink !== undefined) return
    this.#sink = testSink()
    this.#leave = this.world.hub.open(this.#sink, { ...options, after: this.last })
  }
  read() {
    for (const block of (this.#sink?.take() ?? '').split('\n\n').filter(Boolean)) {
      const id = /^id: (.*)$/m.exec(block)?.[1]
      if (block.startsWith('event: reset')) {
        this.resets += 1
        this.snapshot()
      } else if (id !== undefined) this.last = id
      const data = /^data: (\{.*)$/m.exec(block)?.[1]
      const event = data === undefined ? undefined : (JSON.parse(data) as StreamEvent)
      if (event?.type !== 'row') continue
      const known = this.rows.get(event.row.id)
      if (known === undefined || known.seq < event.row.seq) this.rows.set(event.row.id, event.row)
    }
    if (this.#sink?.isCut) this.cut()
  }
  /** Data that the connection has not delivered yet is lost. */
  cut() {
    this.#leave()
    this.#sink = undefined
  }
}

describe('a reader that is disconnected at any moment', () => {
  it('ends up with exactly the same rows as the server', () => {
    const step = fc.constantFrom<Step>(
      'change',
      'change',
      'change',
      'text',
      'read',
      'cut',
      'connect',
      'restart',
    )
    const seed = Number(process.env['CADRE_SEED'] ?? 1)
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(4)), { maxLength: 80 }), (steps) => {
        const limits = { events: 12, bytes: 1 << 20, replay: 4000, behind: 200, cut: 3000 }
        const world = { hub: createHub(limits), rows: new Map<string, SessionRow>() }
        const reader = new TestReader(world)
        let count = 0
        for (const [what, number] of steps) {
          if (what === 'change') {
            const id = `s${number}`
            world.hub.publish((seq) => {
              const row = rowOf(id, String(++count), seq)
              world.rows.set(id, row)
              return { type: 'row', row }
            })
          } else if (what === 'text') world.hub.send(textEvent)
          else if (what === 'restart') {
            world.hub.close()
            world.hub = createHub(limits)
            world.hub.at()
            // A new server numbers its events from 1.
            for (const [id, row] of world.rows) world.rows.set(id, { ...row, seq: 0 })
            reader.cut()
          } else reader[what]()
        }
        reader.cut()
        reader.connect()
        reader.read()
        reader.read()
        const works = (rows: Map<string, SessionRow>) => [...rows].map(([id, { work }]) => [id, work]).sort()
        expect(works(reader.rows)).toEqual(works(world.rows))
        world.hub.close()
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 5000 : 300, seed },
    )
  })
})

it("ends a login's stream when the login is no longer valid", async () => {
  const hub = createHub({ beatMs: 1 })
  let isValid = true
  const [one, other] = [testSink(), testSink()]
  hub.open(one, { login: 'one', index: true, roots: [], isValid: () => isValid })
  hub.open(other, { login: 'other', index: true, roots: [], isValid: () => true })
  isValid = false
  await expect.poll(() => one.isEnded).toBe(true)
  expect([other.isEnded, hub.readers()]).toEqual([false, 1])
  hub.close()
})

it('remembers a limited number of trees, and never omits an event without a reset', () => {
  const hub = createHub({ roots: 3 })
  const reader = testSink()
  hub.open(reader, { login: 'one', index: false, roots: ['kept'] })
  const at = hub.at()
  hub.publish(() => ({ type: 'problems.changed', count: 1 }))
  for (const root of ['a', 'b', 'c']) hub.open(testSink(), { login: root, index: false, roots: [root] })()
  expect(['kept', 'a', 'b', 'c'].map((root) => hub.isFollowed(root))).toEqual([true, false, false, true])
  const late = testSink()
  hub.open(late, { login: 'a', index: false, roots: ['a'], after: at })
  expect(late.take()).toContain('event: reset')
  hub.close()
})
