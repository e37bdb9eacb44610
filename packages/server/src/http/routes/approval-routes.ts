import type { Approval } from '@cadre/api'
import { type ApprovalRecord, isDoubt } from '@cadre/gate'
import type { ApiContext } from '../api-context.ts'
import type { Routes } from '../http-route.ts'
import { HttpProblem } from '../problem.ts'
import {
  bodySchema,
  choiceSchema,
  objectSchema,
  pageSchema,
  pagingParameters,
  schemaRef,
  textSchema,
} from '../schemas.ts'
import { approvalDiff } from './approval-diff.ts'
import { approvalView } from './approval-view.ts'
import { decideApproval } from './decide-approval.ts'
import { objectionsOf } from './objections-of.ts'

type Name = 'listApprovals' | 'getApproval' | 'getApprovalDiff' | 'decide' | 'answerQuestion'

const reason = { type: 'string', maxLength: 10_000 } as const
const action = { type: 'string', description: 'The action as the person saw it' } as const

export const approvalRoutes: Routes<Name> = {
  listApprovals: {
    operation: 'listApprovals',
    role: 'viewer',
    summary: 'List approvals and interrupted calls, oldest first',
    query: {
      ...pagingParameters,
      status: {
        type: 'string',
        enum: ['pending', 'approved', 'rejected', 'withdrawn', 'all'],
        default: 'pending',
      },
    },
    schema: pageSchema(schemaRef('Approval')),
    async answer({ query: { limit = 100, after, status = 'pending' }, caller }, context) {
      const at = context.hub.at()
      const all = await approvalsIn(context, status)
      const from = after === undefined ? 0 : positionAfter(all, after)
      const items = all.slice(from, from + limit)
      const last = items.at(-1)
      const objections = await objectionsOf(caller, context)
      return {
        body: {
          at,
          ...(last && from + limit < all.length && { next: cursorOf(last) }),
          items: await Promise.all(items.map((record) => approvalView(record, context, objections))),
        },
      }
    },
  },
  getApproval: {
    operation: 'getApproval',
    role: 'viewer',
    summary: 'Get an approval: the complete action, and the reason why it needs a person',
    schema: schemaRef('Approval'),
    async answer({ params: { id }, caller }, context) {
      const record = await requireApproval(context, id)
      return { body: await approvalView(record, context, await objectionsOf(caller, context)) }
    },
  },
  getApprovalDiff: {
    operation: 'getApprovalDiff',
    role: 'viewer',
    summary: 'Get the change that an approval would allow, as a patch',
    schema: objectSchema({ patch: textSchema, 'base?': textSchema, 'note?': textSchema }),
    async answer({ params: { id } }, context) {
      return { body: await approvalDiff(await requireApproval(context, id), context) }
    },
  },
  decide: {
    operation: 'decide',
    role: 'approver',
    summary: 'Approve or reject a call, or answer the question about an interrupted call',
    description:
      'The first decision applies. Returns 409 if the action has changed since you read it, or if someone has made a different decision.',
    body: bodySchema({
      decision: choiceSchema('approve', 'approve-session', 'reject', 'again', 'done', 'leave'),
      action,
      'reason?': reason,
      'for?': choiceSchema('once', 'session', 'rule'),
    }),
    schema: schemaRef('DecisionResult'),
    async answer({ params: { id }, body: request, caller }, context) {
      const record = await requireApproval(context, id)
      return { body: await decideApproval(record, request, caller, context) }
    },
  },
  answerQuestion: {
    operation: 'answerQuestion',
    role: 'approver',
    summary: 'Report whether an interrupted call took effect',
    body: bodySchema({ answer: choiceSchema('done', 'again', 'leave'), action, 'reason?': reason }),
    schema: schemaRef('DecisionResult'),
    async answer({ params: { id, question }, body: request, caller }, context) {
      const records = await context.approvals.of([id])
      const record = records.find((one) => one.question === question && isDoubt(one))
      if (record === undefined)
        throw new HttpProblem(404, `Session ${id} has no interrupted call ${JSON.stringify(question)}.`, {
          code: 'not_found',
        })
      const { answer, ...rest } = request
      return { body: await decideApproval(record, { ...rest, decision: answer }, caller, context) }
    },
  },
}

/** Reads only the journals of sessions that have asked. */
async function approvalsIn(
  { index, approvals }: ApiContext,
  status: string,
): Promise<readonly ApprovalRecord[]> {
  const asking = index.filter(({ questions, asked }) =>
    status === 'pending' ? questions.size > 0 : asked > 0,
  )
  const sessions = asking.map(({ id }) => id)
  const records = await approvals.of(sessions)
  return records
    .filter((record) => status === 'all' || record.status === status)
    .toSorted((a, b) => compare(a, b))
}

async function requireApproval(context: ApiContext, id: string): Promise<ApprovalRecord> {
  const records = [...(await approvalsIn(context, 'pending')), ...(await approvalsIn(context, 'all'))]
  const record = records.find((one) => one.id === id)
  if (record === undefined)
    throw new HttpProblem(404, `There is no approval ${JSON.stringify(id)}.`, { code: 'not_found' })
  return record
}

type Position = Pick<Approval, 'created' | 'id'>

function compare(a: Position, b: Position): number {
  if (a.created !== b.created) return a.created < b.created ? -1 : 1
  return a.id < b.id ? -1 : a.id === b.id ? 0 : 1
}

/** The list can change between two pages, so the cursor is a position in the sort order and not an index. */
function cursorOf({ created, id }: Position): string {
  return Buffer.from(JSON.stringify([created, id])).toString('base64url')
}

function positionAfter(records: readonly ApprovalRecord[], cursor: string): number {
  let position: Position
  try {
    const [created, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [string, string]
    position = { created, id }
  } catch {
    throw new HttpProblem(
      400,
      '"after" is not a position in this list. Use the "next" value from the previous page.',
    )
  }
  const at = records.findIndex((record) => compare(record, position) > 0)
  return at < 0 ? records.length : at
}
