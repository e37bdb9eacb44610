import type { JsonObject } from '@cadre/core'
import { type ApprovalRecord, actionLines, shownLine } from '@cadre/gate'
import { describeRequirement } from '@cadre/home'
import { escapeText } from './slack-text.ts'

/** The buttons. Permission for a whole session is given elsewhere, where everything it covers is visible. */
const buttons: {
  readonly [choice: string]: { readonly label: string; readonly style?: 'primary' | 'danger' }
} = {
  approve: { label: 'Approve', style: 'primary' },
  reject: { label: 'Reject', style: 'danger' },
  done: { label: 'It took effect' },
  again: { label: 'Run again', style: 'danger' },
  leave: { label: 'Do not repeat' },
}
/** Choices that permit something: only if the complete request was shown. */
const permittingChoices = new Set(['approve', 'again', 'done'])

export const actionPrefix = 'cadre_'
export const blockPrefix = 'cadre/'

/** Slack cuts longer texts. */
const maxSectionLength = 2_900
const maxActionLength = 9_000

export interface ApprovalMessage {
  /** The arguments of `chat.postMessage`. */
  readonly content: JsonObject
  /** The offered choices. */
  readonly choices: readonly string[]
}

/**
 * An approval as a Slack message. Text from agents is in blocks that Slack does not interpret. A text that is too long is
 * visibly cut, and can then only be rejected here.
 */
export function approvalMessage(
  record: ApprovalRecord,
  options: { readonly buttons: boolean },
): ApprovalMessage {
  const { id, agent, type, risk, reasons, why, choices, need } = record
  const action = actionLines(record).join('\n')
  const isWhole = action.length <= maxActionLength
  const offered = options.buttons
    ? choices.filter(
        (choice) => Object.hasOwn(buttons, choice) && (isWhole || !permittingChoices.has(choice)),
      )
    : []
  const title = `${shownLine(agent, 60)} requests approval: ${shownLine(type, 60)}`
  const blocks = [
    plain(title),
    plain(
      [`Risk: ${risk ?? 'unknown'}`, ...reasons.map((reason) => `- ${shownLine(reason, 300)}`)].join('\n'),
    ),
    plain(`Reason: ${shownLine(why, 1_000)}`),
    ...(need === undefined ? [] : [plain(`Needs: ${describeRequirement(need)}`)]),
    preformatted(
      isWhole
        ? action
        : `${action.slice(0, maxActionLength)}\n[${action.length - maxActionLength} more characters]`,
    ),
    ...(offered.length > 0 ? [actions(id, offered)] : []),
    plain(footer(id, { isWhole, hasButtons: offered.length > 0 })),
  ]
  return { content: { text: escapeText(`${title} (${id})`), blocks }, choices: offered }
}

/** The same message after the decision, without buttons. */
export function settledMessage(id: string, outcome: string, title: string): JsonObject {
  const text = `${title}: ${shownLine(outcome, 200)}`
  return { text: escapeText(`${text} (${id})`), blocks: [plain(text), plain(id)] }
}

/** The title of a record, for the message after the decision. */
export function approvalTitle({ agent, type, action }: ApprovalRecord): string {
  return `${shownLine(agent, 60)}, ${shownLine(type, 60)} ${shownLine(action, 300)}`
}

function footer(id: string, { isWhole, hasButtons }: { isWhole: boolean; hasButtons: boolean }): string {
  const command = `cadre approve ${id}   or   cadre reject ${id}`
  if (!isWhole)
    return `This request is too long to show here, so you cannot approve it in Slack. Inspect approvals/pending/${id}, then run: ${command}`
  return hasButtons ? id : `Decide on the machine that runs cadre: ${command}`
}

/** Text that Slack shows unchanged: no markup, no mentions, no emoji. */
function plain(text: string): JsonObject {
  return {
    type: 'section',
    text: { type: 'plain_text', text: truncate(text, maxSectionLength), emoji: false },
  }
}

function preformatted(text: string): JsonObject {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  }
}

function actions(id: string, choices: readonly string[]): JsonObject {
  return {
    type: 'actions',
    block_id: `${blockPrefix}${id}`,
    elements: choices.map((choice) => {
      const { label, style } = buttons[choice] ?? { label: choice }
      return {
        type: 'button',
        action_id: `${actionPrefix}${choice}`,
        value: id,
        text: { type: 'plain_text', text: label, emoji: false },
        ...(style !== undefined && { style }),
      }
    }),
  }
}

function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 2)} …`
}
