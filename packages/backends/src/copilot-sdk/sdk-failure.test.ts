import { describe, expect, it } from 'vitest'
import { failureOf, hideSecrets, rejectedRequestFailure } from './sdk-failure.ts'

const fails = (type: string, more: { code?: string; status?: number } = {}) =>
  failureOf({ type, message: 'it is so', ...more }, 'copilot-sdk:m', 'Check the key.')

describe('failureOf', () => {
  it('reports that a request was too long', () => {
    expect(fails('context_limit', { status: 400 })).toMatchObject({ code: 'backend', tooLong: true })
  })

  it('explains what to check if access is denied', () => {
    expect(fails('authentication', { status: 401 }).message).toBe(
      'access to copilot-sdk:m was denied (HTTP 401). Check the key.',
    )
  })

  it('recognises a model that does not exist', () => {
    expect(fails('query', { code: 'model_not_found', status: 404 }).code).toBe('unknown_model')
  })

  it.each([
    ['quota', 'your Copilot quota is used up: it is so'],
    ['rate_limit', 'copilot-sdk:m is rate-limited, and retries did not help: it is so'],
    ['query', 'copilot-sdk:m failed: it is so'],
  ])('reports %s', (type, message) => {
    expect(fails(type)).toEqual({ kind: 'failed', code: 'backend', message })
  })
})

it('names the tool that the runtime rejects', () => {
  expect(
    rejectedRequestFailure(new Error('externalToolDefinitions: tool name "a b"'), 'copilot-sdk:m').message,
  ).toContain('"a b"')
})

it('hides keys and tokens', () => {
  const text = 'k3y-of-mine ghp_abcdefgh github_pat_11AA Bearer abcdefghij tid=abc;exp=1'
  expect(hideSecrets(text, 'k3y-of-mine')).toBe('[hidden] [hidden] [hidden] Bearer [hidden] [hidden]')
})
