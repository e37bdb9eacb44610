import { describe, expect, it } from 'vitest'
import { failureFromTurn } from './turn-failure.ts'

describe('the error of a turn', () => {
  it.each([
    [{ message: 'Oops, you are not authorized.', code: 401 }, { kind: 'again' }],
    [{ message: 'Too many rounds', code: 10_000 }, { kind: 'again' }],
    [
      { message: 'Oops, your request is too large.', code: 413 },
      { kind: 'failed', failure: { tooLong: true } },
    ],
    [
      { message: 'unhandled status from server: 500 ghu_abcdefgh', code: 500 },
      {
        kind: 'failed',
        failure: { message: 'copilot-ls:m failed: unhandled status from server: 500 [hidden].' },
      },
    ],
    [
      { message: 'No quota is left. Request ID: 27-ff | GitHub Request ID: A:26', code: 402 },
      {
        kind: 'failed',
        failure: {
          message:
            'copilot-ls:m failed: No quota is left. Run "cadre models" to find models that cost no premium requests.',
        },
      },
    ],
    [{}, { kind: 'failed', failure: { code: 'backend' } }],
  ])('%j means %j', (error, expected) => {
    expect(failureFromTurn(error, 'm')).toMatchObject(expected)
  })
})
