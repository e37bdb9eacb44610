import { expect, it } from 'vitest'
import { wireNames } from './wire-names.ts'

it('changes only names that services reject, keeps them unique, and maps them back', () => {
  const long = 'x'.repeat(70)
  const names = wireNames(['a.b', 'a_b', 'a/b', long, 'plain-name_1'])
  expect(['a.b', 'a_b', 'a/b', 'plain-name_1'].map(names.toWire)).toEqual([
    'a_b_2',
    'a_b',
    'a_b_3',
    'plain-name_1',
  ])
  expect(names.toWire(long)).toHaveLength(64)
  for (const name of ['a.b', 'a_b', 'a/b', long]) expect(names.fromWire(names.toWire(name))).toBe(name)
})

it('has a wire name for a tool that was called but is not offered', () => {
  const names = wireNames([])
  expect(names.toWire('functions.read file')).toBe('functions_read_file')
  expect(names.toWire('')).toBe('unnamed')
  expect(names.fromWire('anything')).toBe('anything')
})
