import { ApiError, type EventsOptions, type StreamPart } from '@cadre/api'
import { expect, test } from 'vitest'
import { type ConnectionState, followStream } from './follow-stream.ts'

type Script = (options: EventsOptions) => AsyncIterable<StreamPart>

/** Plays one script for each connection. The last one must not end: nothing is left to do after it. */
function play(...scripts: readonly Script[]) {
  const states: ConnectionState[] = []
  const taken: string[] = []
  const asked: EventsOptions[] = []
  let snapshots = 0
  let roots: readonly string[] = []
  let over = () => {}
  const ended = new Promise<void>((resolve) => {
    over = resolve
  })
  const left = [...scripts]
  const stream = followStream({
    client: {
      events(options = {}) {
        asked.push(options)
        const script = left.shift()
        if (script === undefined) {
          over()
          return forever()
        }
        return script(options)
      },
    },
    snapshot: async () => `life.${++snapshots * 100}`,
    take: (event) => void taken.push(event.type),
    setState: (state) => {
      states.push(state)
      if (state === 'signed-out') over()
    },
    roots: () => roots,
    whenLookedAt: async () => {},
    pause: async () => {},
  })
  return {
    stream,
    ended,
    states,
    taken,
    asked,
    snapshots: () => snapshots,
    follow: (...next: string[]) => {
      roots = next
      stream.reopen()
    },
  }
}

async function* forever(): AsyncGenerator<StreamPart> {
  yield { kind: 'open' }
  await new Promise(() => {})
}

const event = (id: string): StreamPart => ({ kind: 'event', id, event: { type: 'tasks.changed' } })

test('continues after the last event when the person returns to a paused page', async () => {
  const played = play(async function* () {
    yield { kind: 'open' }
    yield event('life.101')
    yield { kind: 'event', event: { type: 'status' } }
    yield { kind: 'parked' }
  })
  await played.ended
  expect(played.asked.map(({ after }) => after)).toEqual(['life.100', 'life.101'])
  expect(played.states.slice(0, 2)).toEqual(['live', 'parked'])
  expect(played.snapshots()).toBe(1)
})

test("reloads everything after a reset, and applies the connection's later events", async () => {
  const played = play(async function* () {
    yield { kind: 'reset' }
    yield event('other.7')
    yield { kind: 'parked' }
  })
  await played.ended
  expect(played.snapshots()).toBe(2)
  expect(played.taken).toEqual(['tasks.changed'])
  expect(played.asked[1]?.after).toBe('other.7')
})

test('shows a lost connection, and requests the current trees when it reopens the stream', async () => {
  let lost = () => {}
  const wasLost = new Promise<void>((resolve) => {
    lost = resolve
  })
  const played = play(async function* ({ signal }) {
    yield { kind: 'open' }
    yield { kind: 'lost', why: 'gone' }
    lost()
    await new Promise((resolve) => signal?.addEventListener('abort', resolve))
  })
  await wasLost
  played.follow('r1')
  await played.ended
  expect(played.states).toContain('connecting')
  expect(played.asked.at(-1)).toMatchObject({ root: ['r1'], index: true })
})

test('shows that it is signed out, and stops', async () => {
  const played = play(async function* () {
    yield { kind: 'open' }
    throw new ApiError({ type: 'about:blank', title: 'Log in.', status: 401 })
  })
  await played.ended
  expect(played.states.at(-1)).toBe('signed-out')
  expect(played.asked).toHaveLength(1)
})

test('restarts after an error from the server', async () => {
  const played = play(() => {
    throw new ApiError({ type: 'about:blank', title: 'Broken.', status: 500 })
  })
  await played.ended
  expect(played.states).toEqual(['connecting'])
  expect(played.asked).toHaveLength(2)
})
