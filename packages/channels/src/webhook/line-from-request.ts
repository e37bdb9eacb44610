import { createHash, randomUUID } from 'node:crypto'
import type { Json, JsonObject } from '@cadre/core'
import { fieldAt } from '@cadre/home'
import type { PostRequest } from '../channel.ts'
import type { HookSettings } from './webhook-settings.ts'

const keptHeaders = ['content-type', 'user-agent', 'x-github-event', 'x-github-delivery', 'x-request-id']
const maxHeaderLength = 500

/** Returns the line for the inbox. Its id is the same for every repetition of a delivery. */
export function lineFromRequest(
  { headers, body }: PostRequest,
  hook: HookSettings,
  { proof, now }: { readonly proof: string | undefined; readonly now: number },
): JsonObject & { readonly id: string } {
  const content = contentOf(body, headers['content-type'] ?? '')
  const chosen = [...new Set([...keptHeaders, hook.eventHeader])].flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value.slice(0, maxHeaderLength)] as const]
  })
  const event = headers[hook.eventHeader] ?? eventIn(content)
  return {
    id: `${hook.name}-${idOf(headers, hook, content, proof)}`,
    at: new Date(now).toISOString(),
    hook: hook.name,
    ...(event !== undefined && { event: event.slice(0, maxHeaderLength) }),
    body: content,
    headers: Object.fromEntries(chosen),
  }
}

function idOf(
  headers: PostRequest['headers'],
  { idHeader, scheme }: HookSettings,
  content: Json,
  proof: string | undefined,
): string {
  const delivery = idHeader === undefined ? undefined : headers[idHeader]
  if (delivery !== undefined && /^[\w.:-]{1,200}$/.test(delivery)) return delivery
  // Slack sends the same event again with a new signature; its id is in the signed part.
  const event = scheme === 'slack' ? fieldAt(content, 'event_id') : undefined
  if (typeof event === 'string' && /^\w{1,100}$/.test(event)) return event
  // A token does not identify the request, so each one is new.
  return proof === undefined ? randomUUID() : createHash('sha256').update(proof).digest('hex').slice(0, 32)
}

function eventIn(content: Json): string | undefined {
  const event = fieldAt(content, 'event.type') ?? fieldAt(content, 'type')
  return typeof event === 'string' ? event : undefined
}

/** Parses JSON if it is valid, whatever its content type; otherwise form fields, otherwise text. */
function contentOf(body: Uint8Array, type: string): Json {
  const text = Buffer.from(body).toString('utf8')
  const content = jsonOr(text)
  if (content !== text || !/^application\/x-www-form-urlencoded\b/i.test(type)) return content
  const form = Object.fromEntries(new URLSearchParams(text))
  const { payload } = form
  return payload === undefined ? form : jsonOr(payload)
}

/** JSON that is too deeply nested to be written again stays text. */
function jsonOr(text: string): Json {
  try {
    const value = JSON.parse(text) as Json
    JSON.stringify(value)
    return value
  } catch {
    return text
  }
}
