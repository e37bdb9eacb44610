import type { Approval, SearchHit } from '@cadre/api'
import { hrefOf } from '../../shell/route.ts'

const around = 80

/** Approvals whose action, reason or agent contains the text. The server's search does not read approvals. */
export function findApprovals(approvals: readonly Approval[], text: string): readonly SearchHit[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  return approvals.flatMap((approval): SearchHit[] => {
    const { id, agent, action, why, reason = '', purpose = '', status, created } = approval
    const whole = [action, why, reason, purpose, agent, id].join(' ')
    const at = whole.toLowerCase().indexOf(wanted)
    if (at < 0) return []
    const from = Math.max(0, at - around)
    return [
      {
        kind: 'approval',
        id,
        title: `${agent}: ${status}`,
        excerpt: whole.slice(from, at + wanted.length + around),
        at: created,
        url: hrefOf('waiting', id),
      },
    ]
  })
}

/** An address from the server is not trusted: only a path on this page becomes a link. */
export function safePath(url: string): string | undefined {
  return /^\/(?![/\\])/.test(url) ? url : undefined
}
