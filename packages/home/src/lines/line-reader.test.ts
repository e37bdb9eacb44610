import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Home } from '../home/home.ts'
import { openHome } from '../home/open-home.ts'
import { LineCursor } from './line-cursor.ts'
import { LineReader } from './line-reader.ts'
import { openLineReader } from './open-line-reader.ts'

let folder: string
let home: Home
let file: string

function makeHome(): void {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-lines-'))
  home = openHome({ home: folder, cwd: folder, env: {} })
  mkdirSync(home.at('inbox'))
  file = home.at('inbox', 'mail.jsonl')
}
beforeEach(makeHome)
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Reads and handles all lines with a new reader, and returns their texts. */
function handleAll(name = 'mail', max = 3): string[] {
  const reader = openLineReader(home, 'inbox', name)
  const told: string[] = []
  for (let items = reader.take(max); items.length > 0; items = reader.take(max)) {
    for (const item of items) {
      told.push(
        item.kind === 'line' ? String(item.value['text'] ?? item.id) : `${item.number}: ${item.reason}`,
      )
      reader.done(item)
    }
  }
  return told
}
const line = (text: string, id?: string) => `${JSON.stringify({ ...(id && { id }), text })}\n`

describe('a file of lines', () => {
  it('is handled once, line by line', () => {
    writeFileSync(file, line('a', '1') + line('b') + line('c', '3') + line('b'))
    expect(handleAll()).toEqual(['a', 'b', 'c', 'b'])
    expect(handleAll()).toEqual([])
    appendFileSync(file, line('d'))
    expect(handleAll()).toEqual(['d'])
  })

  it('returns an unhandled line again with the same id', () => {
    writeFileSync(file, line('a') + line('a') + line('b', 'own'))
    const ids = () =>
      openLineReader(home, 'inbox', 'mail')
        .take(9)
        .map((item) => (item.kind === 'line' ? item.id : ''))
    const first = ids()
    expect(new Set(first).size).toBe(3)
    expect(first[2]).toBe('own')
    expect(ids()).toEqual(first)
  })

  it('waits for a line that is being written, but not for its line break', () => {
    writeFileSync(file, `${line('a')}{"text":"b`)
    expect(handleAll()).toEqual(['a'])
    appendFileSync(file, '"}')
    expect(handleAll()).toEqual(['b'])
    expect(handleAll()).toEqual([])
    appendFileSync(file, '\n{"text":"c"}\r\n\n  \n{"text":"d"}')
    expect(handleAll()).toEqual(['c', 'd'])
    appendFileSync(file, '\n')
    expect(handleAll()).toEqual([])
  })

  it('skips a line that is nested too deeply, and continues', () => {
    const nested = (levels: number) => `{"text":"n","a":${'['.repeat(levels)}${']'.repeat(levels)}}\n`
    writeFileSync(file, `${nested(99)}${nested(100)}${nested(50_000)}${line('b')}`)
    expect(handleAll()).toEqual([
      'n',
      '2: the line is nested too deeply',
      '3: the line is nested too deeply',
      'b',
    ])
  })

  it('reports an unreadable line once, and continues', () => {
    writeFileSync(file, `${line('a')}what?\n\n[1]\n${line('b')}\0\ud800\n`)
    expect(handleAll()).toEqual([
      'a',
      '2: the line is not JSON',
      '4: the line is not a JSON object',
      'b',
      '6: the line is not JSON',
    ])
    expect(handleAll()).toEqual([])
  })

  it('skips a line that is too long, without keeping it in memory', () => {
    writeFileSync(file, `${line('a')}{"text":"${'x'.repeat(17 << 20)}"}\n${line('b')}`)
    expect(handleAll()).toEqual(['a', '2: the line is too long', 'b'])
    expect(handleAll()).toEqual([])
  })

  it('handles one line per id', () => {
    writeFileSync(file, line('a', '1') + line('b', '2') + line('again', '1'))
    expect(handleAll()).toEqual(['a', 'b'])
    appendFileSync(file, line('once more', '2'))
    expect(handleAll()).toEqual([])
  })

  it('recognises a file that an editor has rewritten', () => {
    writeFileSync(file, line('a') + line('b'))
    expect(handleAll()).toEqual(['a', 'b'])
    rmSync(file)
    writeFileSync(file, line('a') + line('b') + line('c'))
    expect(handleAll()).toEqual(['c'])
  })

  it('does not handle the remaining lines again after others were removed or changed', () => {
    writeFileSync(file, line('a') + line('b') + line('c', 'id-c') + line('d'))
    expect(handleAll()).toEqual(['a', 'b', 'c', 'd'])
    writeFileSync(file, line('b') + line('c, with a correction', 'id-c') + line('e') + line('d'))
    expect(handleAll()).toEqual(['e'])
    expect(handleAll()).toEqual([])
    appendFileSync(file, line('b'))
    expect(handleAll()).toEqual(['b'])
  })

  it('handles no line twice if the file is empty for a moment', () => {
    const text = line('a') + line('b')
    writeFileSync(file, text)
    expect(handleAll()).toEqual(['a', 'b'])
    truncateSync(file)
    expect(handleAll()).toEqual([])
    writeFileSync(file, text + line('c'))
    expect(handleAll()).toEqual(['c'])
  })

  it('continues with a renamed file, and starts with the new one', () => {
    writeFileSync(file, line('a') + line('b'))
    const reader = openLineReader(home, 'inbox', 'mail')
    const [first] = reader.take(1)
    if (first !== undefined) reader.done(first)
    renameSync(file, home.at('inbox', 'mail-2026.jsonl'))
    writeFileSync(file, line('c'))
    expect(handleAll('mail-2026')).toEqual(['b'])
    expect(handleAll()).toEqual(['c'])
    expect(handleAll('mail-2026')).toEqual([])
  })

  it('survives a cursor file that was truncated anywhere', () => {
    writeFileSync(file, line('a') + line('b', 'own') + line('c'))
    const seen = new Map<string, Set<string>>()
    const life = () => {
      const reader = openLineReader(home, 'inbox', 'mail')
      for (const item of reader.take(9)) {
        if (item.kind !== 'line') throw new Error('unreadable')
        const text = String(item.value['text'])
        seen.set(text, (seen.get(text) ?? new Set()).add(item.id))
        reader.done(item)
      }
    }
    life()
    const cursor = home.at('storage', 'cursors', 'inbox', 'mail.jsonl')
    const whole = readFileSync(cursor)
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(cursor, whole.subarray(0, length))
      life()
      expect(handleAll()).toEqual([])
    }
    expect([...seen.values()].map((ids) => ids.size)).toEqual([1, 1, 1])
  })
})

it('forgets only the lines that were handled long ago', () => {
  const place = path.join(folder, 'cursor.jsonl')
  const life = () =>
    new LineReader({ place: file, name: 'mail', cursor: new LineCursor(place, { max: 20, kept: 10 }) })
  const handled: string[] = []
  const handle = () => {
    const reader = life()
    for (let items = reader.take(7); items.length > 0; items = reader.take(7)) {
      for (const item of items) {
        handled.push(item.kind === 'line' ? String(item.value['text']) : '')
        reader.done(item)
      }
    }
  }
  const texts = Array.from({ length: 50 }, (_, at) => `text ${at}`)
  for (const text of texts) {
    appendFileSync(file, line(text))
    handle()
  }
  expect(handled).toEqual(texts)
  expect(readFileSync(place, 'utf8').split('\n').length).toBeLessThan(25)
  // In a replaced file, the newest lines are remembered.
  writeFileSync(
    file,
    texts
      .slice(-5)
      .map((text) => line(text))
      .join('') + line('new'),
  )
  handle()
  expect(handled.slice(50)).toEqual(['new'])
})

describe('under random edits and crashes', () => {
  // Every line is unique, so that it can be tracked.
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), withId: fc.boolean(), torn: fc.nat(30) }),
    fc.record({ kind: fc.constant('garbage' as const) }),
    fc.record({ kind: fc.constant('handle' as const), crashAt: fc.option(fc.nat(4)) }),
    fc.record({ kind: fc.constant('remove' as const), count: fc.nat(3) }),
    fc.record({ kind: fc.constant('anew' as const) }),
    fc.record({ kind: fc.constant('empty' as const) }),
    fc.record({ kind: fc.constant('aside' as const) }),
  )

  it('handles each line under one id', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        makeHome()
        try {
          const ids = new Map<string, Set<string>>()
          const finished = new Map<string, number>()
          const added: string[] = []
          let asides = 0
          const names = ['mail']
          const handle = (name: string, crashAt: number | null) => {
            const reader = openLineReader(home, 'inbox', name)
            let count = 0
            for (let items = reader.take(2); items.length > 0; items = reader.take(2)) {
              for (const item of items) {
                if (item.kind === 'line') {
                  const text = String(item.value['text'])
                  ids.set(text, (ids.get(text) ?? new Set()).add(item.id))
                  if (crashAt !== null && count++ >= crashAt) return
                  finished.set(text, (finished.get(text) ?? 0) + 1)
                }
                reader.done(item)
              }
            }
          }
          for (const now of steps) {
            if (now.kind === 'add') {
              const text = `text ${added.length}`
              added.push(text)
              const whole = line(text, now.withId ? `id ${added.length}` : undefined)
              // In two writes, with a read in between.
              appendFileSync(file, whole.slice(0, now.torn))
              handle('mail', null)
              appendFileSync(file, whole.slice(now.torn))
            } else if (now.kind === 'garbage') appendFileSync(file, 'garbage\n')
            else if (now.kind === 'handle') for (const name of names) handle(name, now.crashAt)
            else {
              // The file is cleaned up after everything was handled.
              for (const name of names) handle(name, null)
              const lines = contentOf(file).split('\n')
              if (now.kind === 'remove') writeFileSync(file, lines.slice(now.count).join('\n'))
              if (now.kind === 'empty') writeFileSync(file, '')
              if (now.kind === 'anew') {
                rmSync(file, { force: true })
                writeFileSync(file, lines.join('\n'))
              }
              if (now.kind === 'aside' && lines.length > 1) {
                renameSync(file, home.at('inbox', `mail-${++asides}.jsonl`))
                names.push(`mail-${asides}`)
                // Read the renamed file before its name is used again.
                for (const name of names) handle(name, null)
              }
            }
          }
          for (const name of names) handle(name, null)
          expect([...ids.keys()].toSorted()).toEqual(added.toSorted())
          for (const [, under] of ids) expect(under.size).toBe(1)
          for (const [, times] of finished) expect(times).toBe(1)
        } finally {
          rmSync(folder, { recursive: true, force: true })
        }
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 150 : 50 },
    )
  })
})

function contentOf(place: string): string {
  try {
    return readFileSync(place, 'utf8')
  } catch {
    return ''
  }
}
