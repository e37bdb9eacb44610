import { request } from 'node:https'
import { rootCertificates } from 'node:tls'
import type { JsonObject } from '@cadre/core'
import { expandVariables } from './expand-variables.ts'
import type { Hook, HookAction } from './hook.ts'
import type { HookEnd, HookEnvironment } from './run-hook.ts'

const maxAnswerLength = 10 * 1_024 * 1_024

/** Sends the payload to a server. Uses only https and follows no redirects, because the answer can allow or deny calls. Never rejects. */
export function postHook(
  { timeoutMs }: Pick<Hook, 'timeoutMs'>,
  { url, headers, variables }: Extract<HookAction, { kind: 'http' }>,
  payload: JsonObject,
  { environment, certificates }: Pick<HookEnvironment, 'environment' | 'certificates'>,
  signal: AbortSignal,
): Promise<HookEnd> {
  const body = Buffer.from(JSON.stringify(payload))
  const known = environment({})
  const named = Object.fromEntries(variables.map((name) => [name, known[name]]))
  const said = Object.entries(headers).map(([name, value]) => [
    name,
    expandVariables(value, named).replaceAll(/[\r\n]/g, ' '),
  ])
  return new Promise((resolve) => {
    const limit = AbortSignal.timeout(timeoutMs)
    const fail = (error: Error) => {
      if (signal.aborted) return resolve({ kind: 'failed', why: 'aborted', reason: 'the hook was cancelled' })
      if (limit.aborted)
        return resolve({
          kind: 'failed',
          why: 'timeout',
          reason: `the hook did not answer within ${timeoutMs / 1_000} s`,
        })
      resolve({
        kind: 'failed',
        why: 'start',
        reason: `${new URL(url).host} did not answer: ${error.message}`,
      })
    }
    const asked = request(
      url,
      {
        method: 'POST',
        headers: {
          ...Object.fromEntries(said),
          'content-type': 'application/json',
          'content-length': String(body.length),
        },
        signal: AbortSignal.any([signal, limit]),
        ...(certificates !== undefined && { ca: [...rootCertificates, certificates] }),
      },
      (response) => {
        const parts: Buffer[] = []
        let size = 0
        response.on('error', fail)
        response.on('data', (part: Buffer) => {
          if (size < maxAnswerLength) parts.push(part)
          size += part.length
        })
        response.on('end', () => {
          const code = response.statusCode ?? 0
          const stdout = Buffer.concat(parts).toString('utf8').slice(0, maxAnswerLength)
          if (code >= 200 && code < 300) return resolve({ kind: 'exited', code: 0, stdout, stderr: '' })
          const reason = `${new URL(url).host} responded with ${code}`
          resolve({ kind: 'failed', why: 'start', reason })
        })
      },
    )
    asked.on('error', fail)
    asked.end(body)
  })
}
