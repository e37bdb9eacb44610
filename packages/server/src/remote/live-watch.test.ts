import type { CadreEvent } from '@cadre/core'
import { expect, test } from 'vitest'
import { LiveWatch } from './live-watch.ts'
import type { RemoteLive } from './remote-trees.ts'

const text = { type: 'text.added', text: 'Hello', round: 1, session: 'lead-1', at: '', seq: 1 } as CadreEvent

function openWatch() {
  const asked: (string | undefined)[] = []
  const shown: CadreEvent[] = []
  const watched = new Set<string>()
  let answer: (live: RemoteLive) => void = () => {}
  let aborted = 0
  const trees = {
    live: (_root: string, after: string | undefined, signal: AbortSignal) => {
      asked.push(after)
      return new Promise<RemoteLive>((resolve, reject) => {
        answer = resolve
        signal.addEventListener('abort', () => {
          aborted += 1
          reject(new Error('aborted'))
        })
      })
    },
  }
  const viewer = {
    isWatched: (root: string) => watched.has(root),
    show: (_root: string, events: readonly CadreEvent[]) => void shown.push(...events),
  }
  const watch = new LiveWatch(trees, viewer)
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    watch,
    asked,
    shown,
    watched,
    aborted: () => aborted,
    async answer(live: RemoteLive) {
      answer(live)
      await settle()
    },
  }
}

test('asks only trees that somebody watches, and shows what is new', async () => {
  const { watch, asked, shown, watched, answer } = openWatch()
  watch.tick(['lead-1', 'other-1'])
  expect(asked).toEqual([])
  watched.add('lead-1')
  watch.tick(['lead-1', 'other-1'])
  watch.tick(['lead-1', 'other-1'])
  expect(asked).toEqual([undefined])
  await answer({ kind: 'here', cursor: 'a.1', events: [text] })
  expect(shown).toEqual([text])
  expect(asked).toEqual([undefined, 'a.1'])
  watch.close()
})

test.each([
  ['the watcher leaves', []],
  ['the tree rests', ['lead-1']],
])('stops asking when %s', async (_, stillWatched) => {
  const { watch, asked, watched, answer, aborted } = openWatch()
  watched.add('lead-1')
  watch.tick(['lead-1'])
  watched.clear()
  for (const root of stillWatched) watched.add(root)
  watch.tick([])
  expect(aborted()).toBe(1)
  await answer({ kind: 'away' })
  expect(asked).toHaveLength(1)
})
