import type { Entry } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { findJournalProblems } from './find-journal-problems.ts'
import { emitJournal, read, timestamp } from './journal.spec-helpers.ts'

const user = (seq: number, content: string): Entry => ({ seq, timestamp, role: 'user', content })
const text = emitJournal([user(1, 'One.\nTwo.'), user(2, 'Three.'), user(3, 'Four.')])
const found = (source: string) =>
  [...findJournalProblems(source)].flatMap((problem) =>
    problem === undefined ? [] : [`${problem.line} ${problem.severity} ${problem.message}`],
  )
const lineOf = (source: string, part: string) => source.slice(0, source.indexOf(part)).split('\n').length

describe('findJournalProblems', () => {
  it('finds nothing in Cadre’s entries, nor in valid entries of a person', () => {
    expect(found(text)).toEqual([])
    expect(found(`${text}  - role: user\n    content: Go on.\n`)).toEqual([])
    expect(found(text.replaceAll('\n', '\r\n'))).toEqual([])
    expect(found('')).toEqual([])
  })

  it('finds the entry that was not written completely, wherever it was cut', () => {
    const start = text.indexOf('  - seq: 3')
    const line = lineOf(text, '  - seq: 3')
    for (let end = start + 1; end < text.length - 1; end++) {
      const torn = text.slice(0, end)
      expect([end, found(torn)]).toEqual([
        end,
        [expect.stringMatching(`^${line} warning This entry is incomplete`)],
      ])
      expect(read(torn)?.torn?.length).toBeGreaterThan(0)
    }
  })

  it('finds an unreadable entry in the middle, and continues after it', () => {
    const broken = text
      .replace('    role: user\n    content: Three.', '    role: nobody\n    content: Three.')
      .replace('    role: user\n    content: Four.', '    role: user\n    content: "Four.')
    expect(found(broken)).toEqual([
      `${lineOf(text, '  - seq: 2')} error "nobody" is not a role: use user, assistant, tool_result or event.`,
      expect.stringMatching(/error This is not valid YAML/),
    ])
  })

  it('finds text between entries that is not part of an entry', () => {
    expect(found(text.replace('  - seq: 2', '- seq: 2'))).toEqual([
      expect.stringMatching(`^${lineOf(text, '  - seq: 2')} error This text is not part of an entry`),
    ])
  })

  it('finds problems in a file that a person wrote', () => {
    expect(found('session_id: a\nagent_id: lead\nmessages:\n  - content: x\n')).toEqual([
      '4 error An entry needs a role: user, assistant, tool_result or event.',
    ])
    expect(found('- a list\n')).toEqual(['1 error The file is not a mapping with session_id and messages.'])
    expect(found('session_id: lead-1\nagent')).toEqual([expect.stringMatching(/^1 warning The beginning/)])
  })

  it('pauses in a long file', () => {
    const long = emitJournal(Array.from({ length: 1_000 }, (_, index) => user(index + 1, 'x')))
    expect([...findJournalProblems(long)]).toEqual(Array(5).fill(undefined))
  })
})
