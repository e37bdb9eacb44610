import type { FakeGitHub, Recorded } from './fake-github.ts'

/** GitHub's answer to whether the person has entered the code. */
export type Poll = 'pending' | 'slow_down' | 'expired' | 'denied' | 'granted'

export interface FakeSignIn {
  readonly code: string
  readonly address: string
  /** The token that GitHub finally issues. It must appear nowhere. */
  readonly token: string
  /** Answers to polls; the last one repeats. */
  polls: readonly Poll[]
  /** The number of polls. */
  readonly polled: number
  /** The lifetime of the code in seconds. */
  codeLife: number
  /** A status that is returned instead of a code. */
  refuseCodes: number | undefined
}

/** Adds the OAuth device flow to the fake GitHub. */
export function addDeviceFlow(github: FakeGitHub): FakeSignIn {
  const signIn = {
    code: 'WDJB-MJHT',
    address: 'https://github.com/login/device',
    token: 'gho_fakeDeviceFlowSecret0123456789',
    polls: ['granted'] as readonly Poll[],
    polled: 0,
    codeLife: 900,
    refuseCodes: undefined as number | undefined,
  }
  github.intercept = ({ path }: Recorded) => {
    if (path === '/login/device/code') {
      if (signIn.refuseCodes !== undefined) return { status: signIn.refuseCodes, body: {} }
      return {
        body: {
          device_code: 'fake-device-code-secret',
          user_code: signIn.code,
          verification_uri: signIn.address,
          expires_in: signIn.codeLife,
          interval: 1,
        },
      }
    }
    if (path !== '/login/oauth/access_token') return undefined
    const poll = signIn.polls[Math.min(signIn.polled, signIn.polls.length - 1)] ?? 'pending'
    signIn.polled += 1
    return { body: answers[poll](signIn.token) }
  }
  return signIn
}

const answers: { readonly [poll in Poll]: (token: string) => unknown } = {
  pending: () => ({
    error: 'authorization_pending',
    error_description: 'The authorization request is still pending.',
  }),
  slow_down: () => ({ error: 'slow_down', error_description: 'Too many requests.', interval: 2 }),
  expired: () => ({ error: 'expired_token', error_description: 'The device_code has expired.' }),
  denied: () => ({ error: 'access_denied', error_description: 'The authorization request was denied.' }),
  granted: (token) => ({ access_token: token, token_type: 'bearer', scope: 'repo,workflow' }),
}
