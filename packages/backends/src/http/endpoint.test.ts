import { CadreError } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import type { OpenAiConfig } from '../models-config.ts'
import { readEndpoint } from './endpoint.ts'

const read = (env: Record<string, string>, openai?: OpenAiConfig) =>
  readEndpoint({ env, config: openai ? { openai } : {} })

describe('an endpoint', () => {
  it('comes from the environment, then the configuration', () => {
    const endpoint = read({ OPENAI_BASE_URL: 'https://env.test/v1/' }, { baseUrl: 'https://config.test/v1' })
    expect(endpoint?.target('m', '/chat/completions')).toEqual({
      host: 'env.test',
      port: 443,
      path: '/v1/chat/completions',
    })
    expect(read({}, { baseUrl: 'https://config.test:8443/v1' })?.target('m', '/models')).toEqual({
      host: 'config.test',
      port: 8443,
      path: '/v1/models',
    })
    expect(read({ OPENAI_BASE_URL: ' ' })).toBeUndefined()
    expect(read({})).toBeUndefined()
  })

  it('is the standard one if there is only a key', () => {
    expect(read({ OPENAI_API_KEY: 'abc' })).toMatchObject({ isSecure: true })
  })

  it('keeps the query of the address, and adds what is configured', () => {
    const endpoint = read(
      {},
      { baseUrl: 'https://a.test/x/{model}?k=v', apiVersion: '1', query: { q: 'a b' } },
    )
    expect(endpoint?.target('my model', '/chat/completions').path).toBe(
      '/x/my%20model/chat/completions?k=v&q=a+b&api-version=1',
    )
    expect(endpoint?.lists).toBe(false)
  })

  it('accepts an IPv6 address', () => {
    expect(read({ OPENAI_BASE_URL: 'http://[::1]:1234/v1' })?.target('m', '/models')).toEqual({
      host: '::1',
      port: 1234,
      path: '/v1/models',
    })
  })

  it.each([
    ['http://model.test/v1', false],
    ['http://10.0.0.5:1234', false],
    ['http://127.0.0.1.evil.test', false],
    ['http://localhost.evil.test', false],
    ['http://127.0.0.1:1234', true],
    ['http://127.1', true],
    ['http://localhost:1234', true],
    ['http://my.localhost', true],
    ['http://[::1]', true],
    ['https://model.test', true],
  ])('gets the key only over a secure connection: %s', (url, isSafe) => {
    const given = () => read({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'abc' })
    if (isSafe) expect(given()).toBeDefined()
    else expect(given).toThrow(/would be sent to http:.* unencrypted\. Use https:/)
    const byCommand = () => read({ OPENAI_BASE_URL: url }, { keyCommand: 'echo abc' })
    if (isSafe) expect(byCommand()).toBeDefined()
    else expect(byCommand).toThrow(CadreError)
    expect(read({ OPENAI_BASE_URL: url })).toBeDefined()
    expect(read({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'abc' }, { allowInsecure: true })).toBeDefined()
  })

  it.each([
    ['not a url', /is not a valid URL/],
    ['ftp://a.test', /must start with https:/],
    ['https://user:hunter2secret@a.test', /must not contain a user name or password/],
  ])('must be usable: %s', (url, message) => {
    expect(() => read({ OPENAI_BASE_URL: url })).toThrow(message)
    expect(() => read({ OPENAI_BASE_URL: url })).not.toThrow(/hunter2secret/)
  })

  it.each([
    { headers: { 'x-a': 'secret-value\n' } },
    { headers: { 'x a': 'secret-value' } },
    { keyHeader: 'a b' },
  ])('has valid headers: %j', (openai) => {
    expect(() => read({}, { baseUrl: 'https://a.test', ...openai })).toThrow(
      /^Header ".*" contains characters that HTTP does not allow/,
    )
    expect(() => read({}, { baseUrl: 'https://a.test', ...openai })).not.toThrow(/secret-value/)
  })

  it('hides secrets in every form, and keeps words', () => {
    const endpoint = read(
      { OPENAI_API_KEY: 'none' },
      { headers: { 'x-auth': 'Basic dXNlcjpwYXNzd29yZA==' }, query: { sig: 'q/secret+1' } },
    )
    expect(endpoint?.hide('none of it', 'none')).toBe('none of it')
    expect(endpoint?.hide('a sk-"12345" b sk-\\"12345\\" c sk-%2212345%22', 'sk-"12345"')).toBe(
      'a [hidden] b [hidden] c [hidden]',
    )
    expect(endpoint?.hide('got dXNlcjpwYXNzd29yZA and q%2Fsecret%2B1', undefined)).toBe(
      'got [hidden] and [hidden]',
    )
  })
})
