import { expect, test } from 'vitest'
import { mergeHooks, type RequestedHook } from './merge-hooks.ts'

const entry = { hooks: [{ type: 'command', command: 'node check.mjs' }] }
const wanted: readonly RequestedHook[] = [
  { event: 'PreToolUse', mark: 'check.mjs', entry },
  { event: 'Stop', mark: 'check.mjs', entry },
]

function merged(text: string) {
  const result = mergeHooks(text, wanted)
  if (result.kind === 'refused') throw new Error(result.reason)
  return result
}

test.each([
  ['an empty object', '{}'],
  ['other settings', '{\n  "env": { "A": "b" },\n  "permissions": {"allow": ["Bash(ls)"]}\n}\n'],
  ['other hooks', '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}'],
  ['an empty list', '{\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}'],
  ['Windows line endings', '{\r\n  "model": "opus"\r\n}\r\n'],
  ['a byte order mark', '\ufeff{ "model": "opus" }'],
  ['numbers that programs would round', '{ "a": 12345678901234567890, "b": 1.0 }'],
])('adds hooks to %s, and only once', (_, text) => {
  const first = merged(text)
  const value = JSON.parse(first.text.replace(/^\ufeff/, ''))
  for (const event of ['PreToolUse', 'Stop']) expect(value.hooks[event].at(-1)).toEqual(entry)
  expect(merged(first.text).text).toBe(first.text)
  // All previous lines and words still exist, in order.
  let at = 0
  for (const word of text.match(/"[^"]*"|[\w.]+/g) ?? []) {
    const found = first.text.indexOf(word, at)
    expect(found, word).toBeGreaterThanOrEqual(at)
    at = found + word.length
  }
  if (text.includes('\r\n')) expect(first.text).not.toMatch(/[^\r]\n/)
  expect(first.text.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'))
})

test('keeps a changed hook, and reports other hooks', () => {
  const changed = { matcher: 'Write', hooks: [{ type: 'command', command: 'node check.mjs --strict' }] }
  const text = JSON.stringify({ hooks: { PreToolUse: [changed], Stop: [entry] }, disableAllHooks: true })
  expect(merged(text)).toEqual({ kind: 'merged', text, hasOthers: true, isOff: true })
  expect(merged(merged('{}').text)).toMatchObject({ hasOthers: false, isOff: false })
})

test.each([
  ['', 1, /not valid JSON/],
  ['{\n  "a": 1,\n}', 3, /not valid JSON/],
  ['{\n  // mine\n  "a": 1\n}', 2, /not valid JSON/],
  ['{ "a": 1 } x', 1, /not valid JSON/],
  ['[]', 1, /not a JSON object/],
  ['{\n  "hooks": []\n}', 2, /"hooks" is not an object/],
  ['{\n  "hooks": {\n    "Stop": {}\n  }\n}', 3, /"Stop" is not a list/],
  ['{\n  "hooks": {},\n  "hooks": { "Stop": [] }\n}', 2, /without changing other settings/],
])('rejects %j at line %i', (text, line, reason) => {
  expect(mergeHooks(text, wanted)).toEqual({ kind: 'refused', line, reason: expect.stringMatching(reason) })
})
