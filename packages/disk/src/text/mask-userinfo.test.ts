import { expect, it } from 'vitest'
import { maskUserinfo } from './mask-userinfo.ts'

it.each([
  ['https://ann:secret@example.com/a.git', 'https://***@example.com/a.git'],
  ['cannot read https://ghp_token@example.com/a: denied', 'cannot read https://***@example.com/a: denied'],
  ['https://ann:p@ss@example.com/a@b', 'https://***@example.com/a@b'],
  ['https://ann:pa/ss@example.com/a.git', 'https://***@example.com/a.git'],
  ["'https://:pa/s@s@example.com:80/a'", "'https://***@example.com:80/a'"],
  ['https://example.com:8080/a@b', 'https://example.com:8080/a@b'],
  ['ssh://git@example.com/a.git', 'ssh://git@example.com/a.git'],
  ['ssh://git:secret@example.com/a.git', 'ssh://***@example.com/a.git'],
  ['git@example.com:team/project.git', 'git@example.com:team/project.git'],
  ['https://example.com/a@b', 'https://example.com/a@b'],
])('masks %s', (text, masked) => {
  expect(maskUserinfo(text)).toBe(masked)
})

it('masks a long token', () => {
  const token = 'x'.repeat(5000)
  expect(maskUserinfo(`https://oauth2:${token}@example.com/a.git`)).toBe('https://***@example.com/a.git')
  expect(maskUserinfo(`https://oauth2:a/${token}@example.com/a.git`)).toBe('https://***@example.com/a.git')
})

it.each(['a://:', 'a://', 'a://b:c/', 'a.', 'a:', '@', 'a://1:1'])(
  'is fast for a long text of %j',
  (part) => {
    const text = part.repeat(2_000_000 / part.length)
    const start = performance.now()
    maskUserinfo(text)
    maskUserinfo(`a://${text}`)
    // A pattern that starts again at each part would need hours.
    expect(performance.now() - start).toBeLessThan(20_000)
  },
)
