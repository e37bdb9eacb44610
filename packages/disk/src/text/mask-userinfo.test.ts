import { expect, it } from 'vitest'
import { maskUserinfo } from './mask-userinfo.ts'

it.each([
  ['https://ann:secret@example.com/a.git', 'https://***@example.com/a.git'],
  ['cannot read https://ghp_token@example.com/a: denied', 'cannot read https://***@example.com/a: denied'],
  ['https://ann:p@ss@example.com/a@b', 'https://***@example.com/a@b'],
  ['git@example.com:team/project.git', 'git@example.com:team/project.git'],
  ['https://example.com/a@b', 'https://example.com/a@b'],
])('masks %s', (text, masked) => {
  expect(maskUserinfo(text)).toBe(masked)
})
