import { expect, it } from 'vitest'
import { childEnvironment } from './child-environment.ts'

it('contains what any program needs, what this one needs, and no other keys', () => {
  const env = {
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    GITHUB_COPILOT_TOKEN: 't',
    https_proxy: 'p',
    OPENAI_API_KEY: 'k',
    AWS_SECRET: 's',
    MY_PATH: 'm',
  }
  expect(childEnvironment(env, /^GITHUB_COPILOT_/)).toEqual({
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    GITHUB_COPILOT_TOKEN: 't',
    https_proxy: 'p',
  })
})
