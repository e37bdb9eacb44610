import { describe, expect, it } from 'vitest'
import { hideTokens } from './hide-tokens.ts'

describe('tokens', () => {
  it.each([
    'Bearer ghu_0123456789abcdef',
    'authorization: token abcdefghij',
    'github_pat_11AAAA_bbbb',
    'tid=abc;exp=1;sku=x;8kp=1:sig',
    'gho_abcdEFGH1234',
  ])('are hidden in %j', (text) => {
    const hidden = hideTokens(`failed with ${text} today`)
    expect(hidden).toContain('[hidden]')
    expect(hidden).toContain('failed with')
    expect(hidden).not.toMatch(/ghu_0|abcdefghij|AAAA|exp=1|EFGH/)
  })

  it('are the only thing hidden', () => {
    const text = 'The token limit exceeded: 100 tokens of a token count.'
    expect(hideTokens(text)).toBe(text)
  })
})
