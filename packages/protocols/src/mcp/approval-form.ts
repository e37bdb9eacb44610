import type { ApprovalRecord } from '@cadre/gate'
import { type InputRequest, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { FormAnswer } from './host-tool.ts'
import { approvalText } from './run-text.ts'

const maxReason = 2000

/** The form that a host shows to its user: the whole action, and the decision. */
export function approvalForm(record: ApprovalRecord): InputRequest {
  return inputRequired.elicit({
    message: `A Cadre agent needs your approval.\n\n${approvalText(record)}`,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: ['approve', 'reject'] },
        reason: { type: 'string', title: 'Reason for the agent', maxLength: maxReason },
      },
      required: ['decision'],
    },
  })
}

/** Reads a user's answers. Unexpected values do not count as a decision. */
export function readForms(responses: Readonly<Record<string, unknown>> | undefined): Map<string, FormAnswer> {
  const answers = new Map<string, FormAnswer>()
  for (const id of Object.keys(responses ?? {})) answers.set(id, readForm(responses, id))
  return answers
}

function readForm(responses: Readonly<Record<string, unknown>> | undefined, id: string): FormAnswer {
  const view = inputResponse(responses, id)
  if (view.kind !== 'elicit' || view.action !== 'accept') return { decision: 'none' }
  const { decision, reason } = view.content ?? {}
  if (decision !== 'approve' && decision !== 'reject') return { decision: 'none' }
  return {
    decision,
    ...(typeof reason === 'string' && reason !== '' && { reason: reason.slice(0, maxReason) }),
  }
}
