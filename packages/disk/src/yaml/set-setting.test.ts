import type { Json } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAnyYaml } from './located.ts'
import { setSetting } from './set-setting.ts'

const set = (text: string, key: string, value: Json) => {
  const changed = setSetting(text, { path: 'config.yaml', keys: key.split('.'), value })
  return changed.kind === 'changed' ? changed.text : changed
}

describe('setting a key', () => {
  it.each<[string, string, string, Json, string]>([
    ['in an empty file', '', 'model', 'a', 'model: a\n'],
    ['in a file of comments', '# mine\n', 'model', 'a', '# mine\nmodel: a\n'],
    [
      'that is there',
      'model: a # why\nentry: x\n',
      'model',
      'openai:b',
      'model: "openai:b" # why\nentry: x\n',
    ],
    ['that is there in quotes', "model: 'a'\n", 'model', 'b', 'model: b\n'],
    ['that is new', 'model: a\n\n# end\n', 'entry', 'x', 'model: a\nentry: x\n\n# end\n'],
    ['without a last line end', 'model: a', 'entry', 'x', 'model: a\nentry: x\n'],
    ['with other line ends', 'model: a\r\n', 'entry', 'x', 'model: a\r\nentry: x\r\n'],
    [
      'below a key that is there',
      'openai:\n    baseUrl: u # x\nentry: e\n',
      'openai.tries',
      3,
      'openai:\n    baseUrl: u # x\n    tries: 3\nentry: e\n',
    ],
    [
      'below a key that is new',
      'model: a\n',
      'openai.baseUrl',
      'http://x/v1',
      'model: a\nopenai:\n  baseUrl: "http://x/v1"\n',
    ],
    [
      'in brackets',
      'limits: { depth: 2 } # l\n',
      'limits.sessions',
      4,
      'limits: { depth: 2, sessions: 4 } # l\n',
    ],
    ['in empty brackets', 'limits: {}\n', 'limits.depth', 4, 'limits: { depth: 4 }\n'],
    [
      'in brackets, again',
      'limits: { depth: 2, sessions: 3 }\n',
      'limits.depth',
      4,
      'limits: { depth: 4, sessions: 3 }\n',
    ],
    ['to a list', 'tools:\n  - a\n  - b\nmodel: m\n', 'tools', ['c'], 'tools:\n  ["c"]\nmodel: m\n'],
    ['that is empty', 'model:\nentry: e\n', 'model', 'b', 'model: b\nentry: e\n'],
    [
      'with a name of its own',
      'aliases:\n  a: b\n',
      'aliases.c d',
      'x y',
      'aliases:\n  a: b\n  "c d": "x y"\n',
    ],
  ])('%s', (_, before, key, value, after) => {
    expect(set(before, key, value)).toBe(after)
  })

  it('to its current value changes nothing', () => {
    expect(set('model: "a"\n', 'model', 'a')).toEqual({ kind: 'same' })
  })

  it.each([
    ['a broken file', 'model: [\n', 'model', /^config\.yaml:\d+: /],
    ['a list', '- a\n', 'model', /must contain keys and values/],
    ['a key below text', 'openai: text\nx: &a 1\ny: *a\n', 'x', /Edit the file yourself/],
  ])('in %s is refused with the reason', (_, text, key, reason) => {
    expect(set(text, key, 'v')).toMatchObject({ kind: 'refused', reason: expect.stringMatching(reason) })
  })

  it('changes only that key, and no other line', () => {
    const word = fc.stringMatching(/^[a-z]{1,4}$/)
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.array(word))
    const file = fc.dictionary(word, fc.oneof(word, fc.integer(), fc.dictionary(word, word, { minKeys: 1 })))
    fc.assert(
      fc.property(file, fc.array(word, { minLength: 1, maxLength: 2 }), value, (given, keys, wanted) => {
        const before = `# head\n${Object.entries(given)
          .map(([key, one]) =>
            typeof one === 'object'
              ? `${JSON.stringify(key)}:\n${Object.entries(one)
                  .map(([name, text]) => `   ${JSON.stringify(name)}: ${JSON.stringify(text)} # c\n`)
                  .join('')}`
              : `${JSON.stringify(key)}: ${JSON.stringify(one)} # c\n`,
          )
          .join('\n')}`
        const changed = setSetting(before, { path: 'f', keys, value: wanted })
        if (changed.kind !== 'changed') return
        const read = readAnyYaml({ text: changed.text, path: 'f' })
        if (read.kind === 'broken') throw new Error(changed.text)
        const [key = '', below] = keys
        const root = read.root.value as Record<string, Json>
        const found = below === undefined ? root[key] : (root[key] as Record<string, Json>)[below]
        expect(found).toEqual(wanted)
        const lines = before.split('\n').filter((line) => !changed.text.split('\n').includes(line))
        expect(lines.length).toBeLessThanOrEqual(
          typeof given[key] === 'object' && below === undefined ? 99 : 1,
        )
      }),
      { numRuns: 60 },
    )
  })
})
