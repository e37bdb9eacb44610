import { expect, test } from 'vitest'
import { plainName } from './plain-name.ts'

test.each([
  ['.claude./x', '.claude/x'],
  ['.claude', '.claude'],
  ['.claude.', '.claude'],
  ['a/.git./hooks', 'a/.git/hooks'],
  ['.GIT ', '.git'],
  ['a.b/c.d', 'a.b/c.d'],
  ['.github/hooks/pre.json', '.github/hooks/pre.json'],
])('%j is compared as %j, whatever else is in the path', (given, plain) => {
  expect(plainName(given)).toBe(plain)
  expect(plainName(`/tmp/lower/${given}`)).toBe(`/tmp/lower/${plain}`)
  expect(plainName(`/tmp/Upper/${given}`)).toBe(`/tmp/upper/${plain}`)
})
