import { describe, expect, it } from 'vitest'
import { hideTokens, tokenHider } from './hide-tokens.ts'

describe('tokens', () => {
  it.each([
    'Bearer ghu_0123456789abcdef',
    'authorization: token abcdefghij',
    'github_pat_11AAAA_bbbb',
    'tid=abc;exp=1;sku=x;8kp=1:sig',
    'gho_abcdEFGH1234',
    'https://api/x?access_token%3Dgho_abcdEFGH1234',
    '{"token":"abcdefghij"}',
    '{\\"token\\": \\"abcdefghij\\"}',
    'access_token=abcdefghij&x=1',
    'token%3Dabcdefghij',
    'a_tid=abc;exp=1;sku=x',
  ])('are hidden in %j', (text) => {
    const hidden = hideTokens(`failed with ${text} today`)
    expect(hidden).toContain('[hidden]')
    expect(hidden).toContain('failed with')
    expect(hidden).not.toMatch(/ghu_0|abcdefghij|AAAA|exp=1|EFGH/)
  })

  it('are hidden if they are set in the environment, whatever their format', () => {
    const hide = tokenHider({ GH_COPILOT_TOKEN: 'one.of+these', GITHUB_COPILOT_TOKEN: '', HOME: '/home/me' })
    expect(hide('xone.of+thesex oneXof+these in /home/me')).toBe('x[hidden]x oneXof+these in /home/me')
  })

  it('are the only text that is hidden', () => {
    const text = 'The token limit exceeded: 100 tokens of a token count, "token": 5, and laughs_out.'
    expect(hideTokens(text)).toBe(text)
  })
})
