import { messageOf } from '@cadre/core'
import type { Settings } from '@cadre/runtime'
import { formatCount } from '../../output/numbers.ts'
import { withDefaults } from '../engine/engine-settings.ts'
import { cardLimit, cardPrefix, type WorkerCard } from '../engine/worker-card.ts'
import { type Check, fail, ok, warn } from './check.ts'

const name = 'engine'

/** The Restate server in config.yaml: whether it answers, which invocations are paused, and whether its workers are alike. */
export async function checkEngine(settings: Settings | undefined, limit: number): Promise<Check[]> {
  const engine = settings?.config.engine
  if (engine === undefined) return []
  const { ingress, admin, place } = withDefaults(engine)
  const trees = `cadre-${place}`
  const { certificateAdvice } = await import('@cadre/restate')
  try {
    const health = await fetch(`${ingress.replace(/\/+$/, '')}/restate/health`, {
      signal: AbortSignal.timeout(limit),
    })
    if (!health.ok) throw new Error(`the server responded with status ${health.status}`)
  } catch (error) {
    return [
      fail(
        name,
        `cannot use the Restate server at ${ingress}: ${reasonOf(error)}`,
        certificateAdvice(error) ?? startIt,
      ),
    ]
  }
  try {
    const query = (sql: string) => queryServer(admin, sql, limit)
    const paused = await query(
      `select id, target_service_key from sys_invocation where target_service_name like '${trees}%' and status = 'paused'`,
    )
    const failing = await query(
      `select target_service_key, last_failure from sys_invocation where target_service_name = '${trees}' and target_handler_name = 'run' and status = 'backing-off' and retry_count > 2`,
    )
    const rows = await query(
      `select value_utf8 from state where service_name = '${trees}-blobs' and service_key like '${cardPrefix}%'`,
    )
    const known = rows.map(({ value_utf8 }) => JSON.parse(JSON.parse(String(value_utf8))) as WorkerCard)
    const workers = known.filter(({ renewed }) => Date.now() - renewed < cardLimit)
    return [
      ok(name, `the Restate server at ${ingress} answers`),
      ...paused.map(({ id, target_service_key: tree }) =>
        fail(
          name,
          `the server has paused session ${tree}`,
          `Find the cause in its log, then resume it with: curl -X PATCH ${admin}/invocations/${id}/resume`,
        ),
      ),
      ...checkFailing(failing),
      ...checkWorkers(workers, place),
    ]
  } catch (error) {
    return [
      fail(
        name,
        `cannot use the admin API of the Restate server at ${admin}: ${reasonOf(error)}`,
        certificateAdvice(error) ?? 'Correct engine.admin in config.yaml, or allow this machine to reach it.',
      ),
    ]
  }
}

/** Trees whose worker does not answer, or fails. Those with the same reason are one check. */
function checkFailing(rows: readonly Record<string, unknown>[]): Check[] {
  const byReason = new Map<string, string[]>()
  for (const { target_service_key: tree, last_failure } of rows) {
    const [first = ''] = String(last_failure ?? '').split('\n')
    const reason = first.replace(/^(\[[^\]]*\] )+/, '').slice(0, 300) || 'the server gives no reason'
    byReason.set(reason, [...(byReason.get(reason) ?? []), String(tree)])
  }
  return [...byReason].map(([reason, [one = '', ...others]]) =>
    fail(
      name,
      `${one}${others.length === 0 ? '' : ` and ${formatCount(others.length, 'other session')}`} cannot continue: ${reason}`,
      'Start the worker at this address again, or repair the network between the server and the worker. If the worker does not come back, move its sessions: see docs/many-machines.md.',
    ),
  )
}

export function checkWorkers(workers: readonly WorkerCard[], place: string): Check[] {
  const [first, ...others] = workers
  if (first === undefined)
    return [
      fail(
        name,
        `no worker is running for place ${place}, so its sessions stay queued`,
        'Start one with "cadre worker".',
      ),
    ]
  const parts = ['agents', 'policy', 'hooks', 'tools'] as const
  const different = others.flatMap((other) => {
    const differing = parts.filter((part) => other.digest[part] !== first.digest[part])
    const versions = other.version === first.version ? [] : ['Cadre version']
    const all = [...differing, ...versions]
    if (all.length === 0) return []
    return [
      warn(
        name,
        `workers ${labelOf(first)} and ${labelOf(other)} for place ${place} differ in: ${all.join(', ')}`,
        'Copy the files from one worker to the other, then restart both. Until then, the rules for a session can change when it moves to the other worker.',
      ),
    ]
  })
  const list = workers.map(labelOf).join(', ')
  return different.length > 0
    ? different
    : [ok(name, `place ${place} has ${formatCount(workers.length, 'worker')}: ${list}`)]
}

function labelOf({ host, pid, url }: WorkerCard): string {
  return `${host}/${pid} (${url})`
}

async function queryServer(
  admin: string,
  sql: string,
  limit: number,
): Promise<readonly Record<string, unknown>[]> {
  const response = await fetch(`${admin.replace(/\/+$/, '')}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: sql }),
    signal: AbortSignal.timeout(limit),
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`the server responded with status ${response.status}: ${text.slice(0, 200)}`)
  return (JSON.parse(text) as { rows: Record<string, unknown>[] }).rows
}

const startIt = 'Start it, for example with "cadre engine start", or correct engine.ingress in config.yaml.'

/** `fetch` puts the reason into the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return messageOf(cause ?? error)
}
