import { messageOf } from '@cadre/core'
import type { Settings } from '@cadre/runtime'
import { formatCount } from '../../output/numbers.ts'
import { type RestateSettings, withDefaults } from '../engine/engine-settings.ts'
import { digestParts } from '../engine/parts-digest.ts'
import { queryServer } from '../engine/query-server.ts'
import { runningWorkers, type WorkerCard } from '../engine/worker-card.ts'
import { type Check, fail, ok, warn } from './check.ts'

const name = 'engine'
/** More problems of one kind do not help. */
const maxShown = 5
const maxListed = 3
const guide = 'docs/many-machines.md'

/**
 * The Restate server in config.yaml: whether it answers, which invocations of the place do not end, and whether its workers are alike and
 * reject the requests of others. `stuckAfter`: seconds after which a request that takes milliseconds is reported.
 */
export async function checkEngine(
  settings: Settings | undefined,
  limit: number,
  { stuckAfter = 60 } = {},
): Promise<Check[]> {
  const engine = settings?.config.engine
  if (engine === undefined) return []
  const known = withDefaults(engine)
  const { ingress, admin, place } = known
  const { certificateAdvice, placeNames } = await import('@cadre/restate')
  const names = placeNames(place)
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
    // Exact names: another place may have a name that begins like this one.
    const services = [...new Set([...Object.values(names), placeNames(known.ledger).ledger])]
    const ofPlace = `target_service_name in (${services.map((service) => `'${service}'`).join(', ')})`
    const columns = 'id, target_service_name, target_service_key, target_handler_name, last_failure'
    const invocations = async (condition: string) =>
      (await query(
        `select ${columns} from sys_invocation where ${ofPlace} and ${condition}`,
      )) as readonly unknown[] as readonly Invocation[]
    const paused = await invocations(`status = 'paused'`)
    const failing = await invocations(`status = 'backing-off' and retry_count > 2`)
    // A tree runs for as long as its agents work, and "changes" and "live" are long requests. All others end within milliseconds.
    const stuck = await invocations(
      `status = 'running' and target_handler_name not in ('run', 'changes', 'live') and last_start_at < now() - interval '${stuckAfter} seconds'`,
    )
    const workers = await runningWorkers(query, names.blobs)
    const label = (invocation: Invocation) => labelOf(invocation, names.trees)
    return [
      ok(name, `the Restate server at ${ingress} answers`),
      ...checkPaused(paused, label, admin),
      ...checkFailing(failing, label),
      ...checkStuck(stuck, label, stuckAfter),
      ...checkSignatures(known, workers),
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

interface Invocation {
  readonly id: string
  readonly target_service_name: string
  readonly target_service_key: string
  readonly target_handler_name: string
  readonly last_failure?: string | null
}

type Label = (invocation: Invocation) => string

/** What a person knows the invocation by. */
function labelOf(
  { target_service_name: service, target_service_key: key, target_handler_name: handler }: Invocation,
  trees: string,
): string {
  if (service === trees) return handler === 'run' ? `session ${key}` : `a request to session ${key}`
  const part = service.slice(service.lastIndexOf('-') + 1)
  if (part === 'messages') return `the mailbox of session ${key}`
  if (part === 'ledger') return `the budgets and limits that all machines share (${service})`
  if (part === 'directory') return `the list of sessions that have changed (${service})`
  if (part === 'index') return `the index entry of session ${key}`
  return `a stored text (${service}/${key})`
}

/** Nothing resumes a paused invocation, and everything behind it waits. */
function checkPaused(paused: readonly Invocation[], label: Label, admin: string): Check[] {
  const shown = paused.slice(0, maxShown).map((invocation) => {
    const because = invocation.last_failure ? `: ${reasonIn(invocation)}` : ''
    return fail(
      name,
      `the server has paused ${label(invocation)}${because}`,
      `Fix the cause, then resume it with: curl -X PATCH ${admin}/invocations/${invocation.id}/resume`,
    )
  })
  const others = paused.length - shown.length
  if (others === 0) return shown
  const more = fail(
    name,
    `the server has paused ${formatCount(others, 'other request')} of this place`,
    `Resume those above first, and run "cadre doctor" again to see the others. If their worker does not come back, move them all at once: see ${guide}.`,
  )
  return [...shown, more]
}

/** Requests whose worker does not answer, or fails. Those with the same reason are one check. */
function checkFailing(failing: readonly Invocation[], label: Label): Check[] {
  const byReason = new Map<string, Invocation[]>()
  for (const one of failing) byReason.set(reasonIn(one), [...(byReason.get(reasonIn(one)) ?? []), one])
  return [...byReason].map(([reason, all]) =>
    fail(
      name,
      `${listOf(all, label)} cannot continue: ${reason}`,
      `Start the worker at this address again, or repair the network between the server and the worker. If another worker is running, restart that one, so that the server sends everything new to it. If the worker does not come back, move its sessions: see ${guide}.`,
    ),
  )
}

/** An object carries out one request at a time, so one that does not end blocks all later ones. */
function checkStuck(stuck: readonly Invocation[], label: Label, seconds: number): Check[] {
  if (stuck.length === 0) return []
  return [
    fail(
      name,
      `a worker received requests more than ${formatCount(seconds, 'second')} ago that it has not answered: ${listOf(stuck, label)}`,
      `Restart the worker. If it does not come back, move its sessions: see ${guide}.`,
    ),
  ]
}

/** Names the few that all sessions need before the many that belong to one session. */
function listOf(all: readonly Invocation[], label: Label): string {
  const rank = ({ target_service_name: service }: Invocation) =>
    /-(ledger|directory)$/.test(service) ? 0 : service.endsWith('-messages') ? 1 : 2
  const labels = [...new Set(all.toSorted((a, b) => rank(a) - rank(b)).map(label))]
  const others = labels.length - maxListed
  const shown = others > 0 ? [...labels.slice(0, maxListed), formatCount(others, 'other request')] : labels
  return shown.length === 1 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

function reasonIn({ last_failure }: Invocation): string {
  const [first = ''] = String(last_failure ?? '').split('\n')
  return first.replace(/^(\[[^\]]*\] )+/, '').slice(0, 300) || 'the server gives no reason'
}

/** Without keys, a worker carries out the orders of anyone who reaches it. */
export function checkSignatures(
  { identityKeys, ingress, admin }: Pick<RestateSettings, 'identityKeys' | 'ingress' | 'admin'>,
  workers: readonly WorkerCard[],
): Check[] {
  const open = workers.filter(({ url, checksSignatures }) => checksSignatures === false && !isLoopback(url))
  const ofWorkers = open.map((worker) =>
    warn(
      name,
      `worker ${workerLabel(worker)} can be reached from other machines, and carries out requests that the Restate server has not signed`,
      addKeys,
    ),
  )
  const remote = [ingress, admin].find((url) => !isLoopback(url))
  if (open.length > 0 || identityKeys.length > 0 || remote === undefined) return ofWorkers
  return [
    warn(
      name,
      `the Restate server is on another machine (${remote}), but engine.identityKeys is not set, so workers cannot tell its requests from those of others`,
      addKeys,
    ),
  ]
}

const addKeys =
  "Set engine.identityKeys in config.yaml to the server's public key (publickeyv1_…), which it logs when it starts, and restart the workers."

function isLoopback(url: string): boolean {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' }
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

export function checkWorkers(workers: readonly WorkerCard[], place: string): Check[] {
  const [first, ...others] = workers
  if (first === undefined)
    return [
      fail(
        name,
        `no worker is running for place ${place}, so its sessions stay queued`,
        'Start one with "cadre worker". If one is running, restart it: the server sends everything to the worker that registered last.',
      ),
    ]
  const different = others.flatMap((other) => {
    const differing = digestParts.flatMap(([part, text]) => {
      const [one, two] = [first.digest[part], other.digest[part]]
      // A worker of an older version does not publish all parts.
      return one === undefined || two === undefined || one === two ? [] : [text]
    })
    const versions = other.version === first.version ? [] : ['Cadre version']
    const all = [...differing, ...versions]
    if (all.length === 0) return []
    return [
      warn(
        name,
        `workers ${workerLabel(first)} and ${workerLabel(other)} for place ${place} differ in: ${all.join(', ')}`,
        'Make them the same on both workers (files, flags of "cadre worker" and config.yaml), then restart both. Until then, the rules for a session can change when it moves to the other worker.',
      ),
    ]
  })
  const list = workers.map(workerLabel).join(', ')
  return different.length > 0
    ? different
    : [ok(name, `place ${place} has ${formatCount(workers.length, 'worker')}: ${list}`)]
}

function workerLabel({ host, pid, url }: WorkerCard): string {
  return `${host}/${pid} (${url})`
}

const startIt = 'Start it, for example with "cadre engine start", or correct engine.ingress in config.yaml.'

/** `fetch` puts the reason into the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return messageOf(cause ?? error)
}
