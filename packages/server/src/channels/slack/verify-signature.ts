import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PostRequest } from '../../channel.ts'

/** Older requests are repetitions by somebody who was listening. */
const longestAge = 5 * 60

/** Whether Slack has sent these bytes, and lately. */
export function verifySignature({ headers, body }: PostRequest, secret: string, now: number): boolean {
  const time = headers['x-slack-request-timestamp'] ?? ''
  const given = headers['x-slack-signature'] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1_000 - Number(time)) > longestAge) return false
  const wanted = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest()
  const sum = /^v0=([0-9a-f]{64})$/.exec(given)?.[1]
  return sum !== undefined && timingSafeEqual(Buffer.from(sum, 'hex'), wanted)
}
