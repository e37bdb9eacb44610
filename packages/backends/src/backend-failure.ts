import type { ReplyFailure } from '@cadre/core'

export function backendFailure(message: string): ReplyFailure {
  return { kind: 'failed', code: 'backend', message }
}
