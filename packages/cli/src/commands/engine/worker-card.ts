import { hostname } from 'node:os'
import type { PartsDigest } from './parts-digest.ts'

/** What a worker publishes at the server, so that "cadre doctor" can compare the workers of a place. */
export interface WorkerCard {
  readonly url: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly workspace: string
  readonly digest: PartsDigest
  /** It rejects requests that the server has not signed. Workers of older versions do not say it. */
  readonly checksSignatures?: boolean
  /** Milliseconds since 1970. A card that was not renewed for a while belongs to a worker that has ended. */
  readonly renewed: number
}

const interval = 20_000
/** How long a worker that ends may take to say so, in milliseconds: no worker may be left to store it. */
const withdrawLimit = 2_000
/** The age from which a worker counts as ended. */
const cardLimit = 3 * interval
/** The start of the keys of cards, in the object that stores texts of a place. */
const cardPrefix = 'worker-card-'

/** The workers that have renewed their cards. `object` is the name of the object that stores texts of the place. */
export async function runningWorkers(
  query: (sql: string) => Promise<readonly Record<string, unknown>[]>,
  object: string,
): Promise<readonly WorkerCard[]> {
  const cards = await query(
    `select value_utf8 from state where service_name = '${object}' and service_key like '${cardPrefix}%'`,
  )
  return cards
    .map(({ value_utf8 }) => JSON.parse(JSON.parse(String(value_utf8))) as WorkerCard)
    .filter(({ renewed }) => Date.now() - renewed < cardLimit)
}

export interface PublishOptions {
  readonly ingress: string
  /** The name of the object that stores texts of the place. */
  readonly object: string
  readonly card: Omit<WorkerCard, 'host' | 'pid' | 'renewed'>
  readonly report: (message: string) => void
  /** Why a request failed, and what to do. */
  readonly reasonOf: (error: unknown) => string
}

/** Publishes the card of this process, and renews it until the returned function is called. */
export async function publishCard({
  ingress,
  object,
  card,
  report,
  reasonOf,
}: PublishOptions): Promise<() => Promise<void>> {
  const key = `${cardPrefix}${hostname()}-${process.pid}`
  const put = async (renewed: number, limit = interval) => {
    const full: WorkerCard = { ...card, host: hostname(), pid: process.pid, renewed }
    const response = await fetch(`${ingress.replace(/\/+$/, '')}/${object}/${encodeURIComponent(key)}/put`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(JSON.stringify(full)),
      signal: AbortSignal.timeout(limit),
    })
    if (!response.ok) throw new Error(`the Restate server answered ${response.status}`)
  }
  await put(Date.now())
  let isFailing = false
  let isOver = false
  const failureText = (error: unknown) =>
    (error as Error).name === 'TimeoutError'
      ? `the Restate server at ${ingress} did not answer within ${interval / 1000} seconds. If it is running, the worker of this place that registered last does not answer. Start that worker again, or restart this one.`
      : `cannot reach the Restate server at ${ingress}: ${reasonOf(error)}`
  const timer = setInterval(() => {
    put(Date.now()).then(
      () => {
        isFailing = false
      },
      (error: unknown) => {
        if (!isFailing && !isOver) report(failureText(error))
        isFailing = true
      },
    )
  }, interval)
  timer.unref()
  return async () => {
    isOver = true
    clearInterval(timer)
    // The server may be gone as well.
    await put(0, withdrawLimit).catch(() => {})
  }
}
