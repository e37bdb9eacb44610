import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Work } from '@cadre/core'
import { type Home, isObject, namesIn, readRegular } from '@cadre/files'
import type { KeepRequest } from '../session-keeper.ts'
import { writeOwnFile } from '../write-own-file.ts'

/** What was asked of the keeper and is in no session yet. */
export type QueuedRequest =
  | { readonly kind: 'start'; readonly request: KeepRequest }
  | { readonly kind: 'tell'; readonly session: string; readonly work: Work & { readonly message: string } }

export interface QueuedRequests {
  /** On disk when it comes back. The result takes it away again. */
  keep(request: QueuedRequest): () => void
  /** What an earlier process has left, in the order in which it was asked for; each with how to take it away. */
  left(): readonly { readonly request: QueuedRequest; readonly done: () => void }[]
}

const folder = ['storage', 'requests', 'queued'] as const

/** Whoever is told that something is queued must be able to rely on it, also if this process is killed before its turn. */
export function openQueuedRequests(home: Home): QueuedRequests {
  let count = 0
  const took = (name: string) => () => rmSync(home.at(...folder, name), { force: true })
  return {
    keep(request) {
      const name = `${String(Date.now()).padStart(14, '0')}-${process.pid}-${String(++count).padStart(9, '0')}.json`
      writeOwnFile(home, [...folder, name], JSON.stringify(request), { durable: true })
      return took(name)
    },
    left() {
      const names = namesIn(home.at(...folder)).filter(
        (name) => name.endsWith('.json') && !name.startsWith('.'),
      )
      return names.toSorted().flatMap((name) => {
        const request = read(path.join(home.at(...folder), name))
        return request === undefined ? [] : [{ request, done: took(name) }]
      })
    },
  }
}

function read(file: string): QueuedRequest | undefined {
  try {
    const value: unknown = JSON.parse(readRegular(file).toString('utf8'))
    return isRequest(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRequest(value: unknown): value is QueuedRequest {
  if (!isObject(value)) return false
  const { kind, request, session, work } = value
  if (kind === 'tell')
    return typeof session === 'string' && isWork(work) && typeof work['message'] === 'string'
  if (kind !== 'start' || !isObject(request)) return false
  return typeof request['id'] === 'string' && typeof request['agent'] === 'string' && isWork(request['work'])
}

function isWork(value: unknown): value is Record<string, unknown> {
  return isObject(value) && typeof value['content'] === 'string'
}
