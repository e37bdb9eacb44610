import { describe, expect, it } from 'vitest'
import { serverEnvironment } from './server-environment.ts'

describe('the environment of the server', () => {
  it('has what it needs and no key of anybody else', () => {
    const env = {
      PATH: '/bin',
      HOME: '/h',
      GITHUB_COPILOT_TOKEN: 't',
      https_proxy: 'p',
      OPENAI_API_KEY: 'k',
      AWS_SECRET: 's',
    }
    expect(serverEnvironment(env)).toEqual({
      PATH: '/bin',
      HOME: '/h',
      GITHUB_COPILOT_TOKEN: 't',
      https_proxy: 'p',
    })
  })
})
