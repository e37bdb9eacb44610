import { expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'

const coded = (code: string, message: string) => Object.assign(new Error(message), { code })

it.each([
  [coded('NotFound', 'no such model'), 'unknown_model', /GPT-5 is no longer available \(no such model\)/],
  [coded('NoPermissions', ''), 'backend', /may not be used by this extension\. Allow it/],
  [coded('Blocked', 'quota'), 'backend', /refused the request \(quota\)/],
  [new Error('Request failed: 429 Too Many Requests'), 'backend', /no quota left/],
  [new Error('off_topic'), 'backend', /content filter/],
  [new Error('Response got filtered by Responsible AI'), 'backend', /content filter/],
  [new Error('getaddrinfo ENOTFOUND api'), 'backend', /cannot be reached/],
  [
    new Error('Unknown', { cause: new Error('fetch failed') }),
    'backend',
    /cannot be reached \(Unknown: fetch failed\)/,
  ],
  [new Error('The operation timed out'), 'timeout', /did not answer in time/],
  [new Error('tools are not supported by this model'), 'tools_unsupported', /does not support tools/],
  ['a bare text', 'backend', /failed \(a bare text\)/],
  [undefined, 'backend', /^The model GPT-5 failed\. Try again/],
])('explains %s', (error, code, message) => {
  expect(failureOf(error, 'GPT-5')).toMatchObject({
    kind: 'failed',
    code,
    message: expect.stringMatching(message),
  })
})

it('reports that a request was too long, so that it can be shortened', () => {
  expect(failureOf(new Error('prompt is too long: 200000 tokens'), 'x')).toMatchObject({ tooLong: true })
  expect(failureOf(new Error('Message exceeds token limit.'), 'x')).toMatchObject({ tooLong: true })
  expect(failureOf(new Error('bad token'), 'x').tooLong).toBeUndefined()
})
