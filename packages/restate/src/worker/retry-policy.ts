import type { RetryPolicy } from '@restatedev/restate-sdk'

/** The server retries 70 times by default and then pauses the invocation until a person resumes it. */
export const retryPolicy: RetryPolicy = {
  initialInterval: { milliseconds: 50 },
  maxInterval: { seconds: 1 },
  exponentiationFactor: 2,
  maxAttempts: 1_000_000_000,
  onMaxAttempts: 'pause',
}
