import path from 'node:path'
import { fencedText, isObject, type Question } from '@cadre/core'
import { actionLines, approvalContent, shownLine } from '@cadre/gate'
import type { FilePreview } from '@cadre/tools'
import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from './acp-types.ts'
import { textContent } from './card-content.ts'
import type { CallCard } from './describe-call.ts'
import { limitJson, parseInput } from './limit-json.ts'

export interface PermissionInput {
  readonly question: Question
  readonly sessionId: string
  readonly toolCallId: string
  /** The chain of agents, from the entry agent to the one that asks. */
  readonly chain: string
  readonly workspace: string
  readonly card: CallCard | undefined
  /** The call's changes to files, if they are known. */
  readonly files: readonly FilePreview[] | undefined
}

/** A question as a permission request. It contains the whole action, so that an editor that shows only the request is enough to decide. */
export function permissionOf(input: PermissionInput): RequestPermissionRequest {
  const { question, sessionId, toolCallId, chain, card } = input
  const content = approvalContent(question, chain)
  const action = shownLine(content.action, 4_000)
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title: `${chain} · ${content.type === 'file_write' ? `${card?.title ?? action}` : action}`,
      status: 'pending',
      ...(card && { kind: card.kind, locations: [...card.locations] }),
      content: [textContent(questionText(input)), ...diffsOf(input)],
      rawInput: limitJson(argumentsOf(question)),
    },
    options: optionsOf(question),
  }
}

/** The answers that the editor offers. Their ids are the question's choices. */
function optionsOf({ choices, detail }: Question): PermissionOption[] {
  const grants = isObject(detail) && Array.isArray(detail['grants']) ? detail['grants'].map(String) : []
  return choices.flatMap((choice): PermissionOption[] => {
    const option = (name: string, kind: PermissionOption['kind']) => [{ optionId: choice, name, kind }]
    switch (choice) {
      case 'approve':
        return option('Allow', 'allow_once')
      case 'approve-session':
        return option(`Allow in this session: ${shownLine(grants.join(', '), 200)}`, 'allow_always')
      case 'reject':
        return option('Reject', 'reject_once')
      // A call in doubt. An editor that allows everything repeats the call; the other answers have no effect on files.
      case 'again':
        return option('Run it again', 'allow_once')
      case 'done':
        return option('It took effect: do not run it again', 'reject_once')
      case 'leave':
        return option('Do not run it again: tell the agent that the result is unknown', 'reject_once')
      default:
        return option(shownLine(choice, 80), 'reject_once')
    }
  })
}

function questionText({ question, chain, files = [] }: PermissionInput): string {
  const content = approvalContent(question, chain)
  const { risk, reasons, why, grants } = content
  const asks =
    question.kind === 'doubt'
      ? `${chain} was interrupted during this call. What happened?`
      : `${chain} asks permission to do this:`
  const action = files.length > 0 ? [] : actionLines(content)
  const about = [
    ...(risk === undefined ? [] : [`Risk: ${risk}${reasons.length > 0 ? ` – ${reasons.join(' · ')}` : ''}`]),
    ...(why === '' ? [] : [`Why you are asked: ${why}`]),
    ...(grants.length > 0 ? [`Allowing it in this session permits: ${grants.join(' · ')}`] : []),
  ]
  return [
    asks,
    ...(action.length === 0 ? [] : [fencedText(action.join('\n'))]),
    fencedText(about.join('\n')),
  ].join('\n\n')
}

function diffsOf({ files = [], workspace }: PermissionInput): ToolCallContent[] {
  return files.map(({ path: file, before, after }) => ({
    type: 'diff',
    path: path.resolve(workspace, file),
    oldText: before ?? null,
    newText: after ?? '',
  }))
}

function argumentsOf({ detail }: Question): unknown {
  if (!isObject(detail)) return {}
  const given = detail['arguments']
  return typeof given === 'string' ? parseInput(given) : (given ?? {})
}
