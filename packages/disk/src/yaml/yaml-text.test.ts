import type { Json } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { hostileStrings } from './hostile-strings.spec-helpers.ts'
import { yamlText } from './yaml-text.ts'

const hostile = fc.oneof(fc.constantFrom(...hostileStrings(400)), fc.string({ unit: 'binary' }))
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    hostile,
    fc.integer(),
    // JSON has no negative zero either.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      hostile.filter((key) => key.length < 500),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value

describe('YAML for headers', () => {
  it.each([true, false])('reads back unchanged in every version of YAML (blocks: %s)', (blocks) => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value, { maxKeys: 4 }), (given) => {
        const entries = Object.entries(given)
        const text = yamlText(entries, { blocks })
        // Neither a YAML block nor a file can contain half a character.
        for (const version of ['1.1', '1.2'] as const)
          expect(parse(text === '' ? '{}' : text, { version, uniqueKeys: false })).toEqual(given)
        if (!blocks) expect(text).not.toContain('---')
      }),
      { numRuns: 300 },
    )
  })

  it('looks handwritten', () => {
    expect(
      yamlText(
        [
          ['name', 'reviewer'],
          ['description', 'Reviews: all of it'],
          ['version', '1.0'],
          ['answer', 'no'],
          ['born', '2026-11-15'],
          ['heading', "it's # not a comment"],
          ['all', '*'],
          ['tools', ['read', 'search/codebase', 'Bash(git *)', 'yes', '7']],
          ['none', []],
          ['handoffs', [{ label: 'Start', agent: 'builder', prompt: 'Go\non', send: false }]],
          ['metadata', { 'cadre-order': '1' }],
        ],
        { blocks: false },
      ),
    ).toBe(`name: reviewer
description: 'Reviews: all of it'
version: '1.0'
answer: 'no'
born: '2026-11-15'
heading: "it's # not a comment"
all: '*'
tools: [read, search/codebase, 'Bash(git *)', 'yes', '7']
none: []
handoffs:
  - label: Start
    agent: builder
    prompt: "Go\\non"
    send: false
metadata:
  cadre-order: '1'
`)
  })
})
