import { CadreError } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import type { Home } from '@cadre/home'
import { type OpenedEngine, openEngine, requireTrustedHome, type TrustFlags } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'

export interface OpenedApprovals {
  readonly home: Home
  readonly engine: OpenedEngine
}

/** The pending approvals of a home. Decisions in its files are applied, so the home must be trusted. */
export async function openApprovals(io: Io, flags: TrustFlags): Promise<OpenedApprovals> {
  const home = await requireTrustedHome(io, flags)
  const tell = (message: string) => void io.stderr.write(`cadre: ${cleanText(message)}\n`)
  return { home, engine: await openEngine(home, tell, { env: io.env }) }
}

/** Finds an approval, or a question about a call in doubt. Rejects unless exactly one matches. */
export async function findApproval(
  { engine, home }: OpenedApprovals,
  wanted: string,
): Promise<ApprovalRecord> {
  const fits = ({ id }: ApprovalRecord) => id === wanted || (wanted !== '' && matchesId(id, wanted))
  const open = await engine.approvals.list()
  // If several match, a pending one is preferred.
  const waiting = open.filter(fits)
  const fitting = waiting.length > 0 ? waiting : (await engine.approvals.list({ all: true })).filter(fits)
  const [record, second] = fitting
  if (record === undefined) {
    const ids = open.map(({ id }) => id)
    const hint = ids.length === 0 ? 'No approvals are pending.' : `Pending: ${listIds(ids)}.`
    throw new CadreError(
      'not_found',
      `there is no approval ${JSON.stringify(wanted)} in ${home.path}. ${hint}`,
    )
  }
  if (second !== undefined) {
    const ids = fitting.map(({ id }) => id)
    throw new CadreError(
      'usage',
      `${ids.length} approvals match ${JSON.stringify(wanted)}: ${listIds(ids)}. Type more of the id.`,
    )
  }
  return record
}

function matchesId(id: string, wanted: string): boolean {
  const digits = id.replace(/^approval-/, '')
  return id.startsWith(wanted) || digits.startsWith(wanted) || id.endsWith(`-${wanted}`)
}

function listIds(ids: readonly string[]): string {
  return `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`
}
