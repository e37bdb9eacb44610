import { CadreError, handoffHistory, type StoredSession } from '@cadre/core'
import type { Sessions } from '@cadre/runtime'
import { lastReport, namesOf } from '@cadre/runtime'
import { conversationText } from '../../output/conversation-text.ts'
import type { Chat } from './chat.ts'
import { offerHandoffs } from './chat-output.ts'

/** Returns the most recently active entry session. */
export async function newestConversation({ list, home }: Sessions): Promise<string> {
  const all = (await list()).filter(({ parent }) => parent === undefined)
  const [newest] = all.toSorted((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : 0))
  if (newest !== undefined) return newest.id
  throw new CadreError(
    'not_found',
    `there are no conversations in ${home.at('sessions')} yet. Start one with "cadre chat".`,
  )
}

/** True if it did not end, or something was added since. */
export function isUnfinished(stored: StoredSession): boolean {
  const report = lastReport(stored)
  return report === undefined || report.status === 'cancelled' || report.status === 'error'
}

/** Shows the last message of a conversation and the possible next actions. */
export function showLastMessage({ output, drive, runtime }: Chat, stored: StoredSession): void {
  const said = handoffHistory(stored)
  const from = said.findLastIndex(({ role }) => role === 'user')
  const last = said.slice(Math.max(0, from))
  const report = lastReport(stored)
  const state = isUnfinished(stored)
    ? [stateOf(stored)]
    : offerHandoffs(report?.handoffs ?? [], drive.style, namesOf(runtime))
  const where = drive.style.dim(`session ${stored.spec.id}`)
  const text = [conversationText(last, drive.style), where, ...state].join('\n')
  output.note(text, {
    type: 'conversation',
    session: stored.spec.id,
    agent: stored.spec.agent.name,
    last,
  })
}

function stateOf(stored: StoredSession): string {
  if (stored.status === 'sleeping') return 'A decision is pending. Type /resume to see the question.'
  const report = lastReport(stored)
  if (report?.status === 'error') return 'The last turn failed. Type /resume to try again.'
  return `The last turn was ${report === undefined ? 'interrupted' : 'stopped'}. Type /resume to continue it, or a new message.`
}
