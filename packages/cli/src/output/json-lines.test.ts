import type { CadreEvent } from '@cadre/core'
import { expect, test } from 'vitest'
import { createJsonLines } from './json-lines.ts'
import type { Output } from './output.ts'

/** A slow reader: accepts one write and then nothing, until it is told to catch up. */
function slowOutput() {
  const written: string[] = []
  let ready: (() => void) | undefined
  let isSlow = true
  const output = {
    writeSoon(text: string) {
      written.push(text)
      return !isSlow
    },
    whenReady(listener: () => void) {
      ready = listener
    },
  } as unknown as Output
  const catchUp = (slowAgain = false) => {
    isSlow = slowAgain
    ready?.()
  }
  const lines = () =>
    written
      .join('')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return { output, written, catchUp, lines }
}

let seq = 0
const text = (session: string, piece: string, round = 1) =>
  ({ type: 'text.added', session, round, text: piece, seq: ++seq, at: '' }) as CadreEvent
const structural = (session: string) =>
  ({ type: 'session.queued', session, seq: ++seq, at: '' }) as CadreEvent

test('merges text of one reply while the reader is slow, and keeps everything else in order', async () => {
  const { output, catchUp, lines } = slowOutput()
  const json = createJsonLines(output)
  json.event(structural('a'))
  for (const piece of ['1', '2', '3']) json.event(text('a', piece))
  json.event(text('b', 'x'))
  json.event(text('a', '4'))
  json.event(structural('a'))
  json.event(text('a', '5'))
  json.event(text('a', '6', 2))
  json.line({ type: 'report' })
  let flushed = false
  const done = json.flush().then(() => {
    flushed = true
  })
  await Promise.resolve()
  expect(flushed).toBe(false)
  catchUp()
  await done
  expect(
    lines().map(({ type, session, text: said }) =>
      [type, session, said].filter((part) => part !== undefined).join(' '),
    ),
  ).toEqual([
    'session.queued a',
    'text.added a 1234',
    'text.added b x',
    'session.queued a',
    'text.added a 5',
    'text.added a 6',
    'report',
  ])
})

test('passes every event unchanged to a fast reader', async () => {
  const { output, catchUp, written } = slowOutput()
  catchUp()
  const json = createJsonLines(output)
  json.event(text('a', '1'))
  json.event(text('a', '2'))
  await json.flush()
  expect(written).toHaveLength(2)
})

test('waits for a slow reader until the end', async () => {
  const { output, catchUp, lines } = slowOutput()
  const json = createJsonLines(output)
  json.event(structural('a'))
  json.event(text('a', '1'))
  catchUp(true)
  json.event(text('a', '2'))
  json.event(text('a', '3'))
  const done = json.flush()
  catchUp()
  await done
  expect(lines().map((line) => line.text)).toEqual([undefined, '1', '23'])
})
