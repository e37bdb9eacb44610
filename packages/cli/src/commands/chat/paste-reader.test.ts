import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPasteReader, type TerminalInput } from './paste-reader.ts'

/** Merges adjacent keys, because chunk boundaries do not matter for keys. */
function joined(found: readonly TerminalInput[]): TerminalInput[] {
  const whole: TerminalInput[] = []
  for (const part of found) {
    const last = whole.at(-1)
    if (part.kind === 'keys' && last?.kind === 'keys')
      whole.splice(-1, 1, { kind: 'keys', text: last.text + part.text })
    else whole.push(part)
  }
  return whole
}

const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((part) => !part.includes('\x1b'))

test('extracts pasted texts whole, wherever the chunks are split', () => {
  const cuts = fc.array(fc.integer({ min: 0, max: 80 }), { maxLength: 6 })
  fc.assert(
    fc.property(text, text, text, cuts, (before, pasted, after, places) => {
      const all = `${before}\x1b[200~${pasted}\x1b[201~${after}\r`
      const take = createPasteReader()
      const ends = [...places.filter((at) => at < all.length), all.length].sort((a, b) => a - b)
      // A lone escape is a key, so a marker may be split anywhere but after its first character.
      const kept = ends.filter((at) => all[at - 1] !== '\x1b' || at > before.length + 6)
      const found = kept.flatMap((end, index) => take(all.slice(kept[index - 1] ?? 0, end)))
      expect(joined(found)).toEqual([
        ...(before === '' ? [] : [{ kind: 'keys', text: before }]),
        { kind: 'paste', text: pasted },
        { kind: 'keys', text: `${after}\r` },
      ])
    }),
  )
})

test('does not delay keys that start like a marker', () => {
  const take = createPasteReader()
  expect(take('\x1b')).toEqual([{ kind: 'keys', text: '\x1b' }])
  expect(take('\x1b[A')).toEqual([{ kind: 'keys', text: '\x1b[A' }])
  expect(take('\x1b[2')).toEqual([])
  expect(take('~')).toEqual([{ kind: 'keys', text: '\x1b[2~' }])
})
