import { afterEach, expect, test } from 'vitest'
import { homeFlag, withHome } from './home-flag.ts'

afterEach(() => {
  homeFlag.value = undefined
})

test('adds the home to commands that would find another one', () => {
  expect(withHome('cadre approvals')).toBe('cadre approvals')
  homeFlag.value = "/tmp/it's mine/.cadre"
  expect(withHome('cadre approvals')).toBe(`cadre approvals --home '/tmp/it'\\''s mine/.cadre'`)
  expect(withHome("jq -c '.' '/tmp/events/'*.jsonl")).toBe("jq -c '.' '/tmp/events/'*.jsonl")
})
