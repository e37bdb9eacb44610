import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { readEndState } from './read-end-state.ts'

let file: string

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-rest-'))
  file = join(folder, 'a.session.yaml')
  return () => rmSync(folder, { recursive: true, force: true })
})

const top = (status: string) => `session_id: a\nstatus: ${status.padEnd(9)} # …\nmessages:\n`
const said = (seq: number, text: string) =>
  `  - seq: ${seq}\n    timestamp: t\n    role: assistant\n    content: ${text}\n    # end ${seq}\n`
const ended = (seq: number, text = 'ok') =>
  `  - seq: ${seq}\n    timestamp: t\n    role: event\n    type: session.ended\n    report: ${text}\n    # end ${seq}\n`
const isReadyToCommit = (text: string) => {
  writeFileSync(file, text)
  const found = readEndState(file)
  return typeof found === 'object' && found.isReadyToCommit
}

// Lengths around the read buffer sizes.
const lengths = [0, 1000, 1900, 2100, 3900, 4000, 4100, 100_000]

it.each(lengths)('sees the end before and after a text of %d characters', (length) => {
  const text = 'x'.repeat(length)
  expect(isReadyToCommit(top('completed') + said(1, text) + ended(2))).toBe(true)
  expect(isReadyToCommit(top('error') + said(1, 'y') + ended(2, text))).toBe(true)
  expect(isReadyToCommit(top('active') + said(1, text) + ended(2))).toBe(false)
  expect(isReadyToCommit(`${top('completed')}${ended(1)}  - role: user\n    content: ${text}\n`)).toBe(false)
  expect(isReadyToCommit(top('completed') + ended(1) + said(2, text))).toBe(false)
  // Truncated, or ended by another program.
  expect(isReadyToCommit((top('completed') + said(1, text) + ended(2)).slice(0, -3))).toBe(false)
})

it('does not read a known file, and reports a missing one', () => {
  writeFileSync(file, top('completed') + ended(1))
  expect(readEndState(file, ({ size }) => size > 0)).toBe('known')
  expect(readEndState(`${file}.gone`)).toBe('absent')
})
