import { randomUUID } from 'node:crypto'
import type { StoredSession, Work } from '@cadre/core'
import { isSessionName } from '@cadre/home'
import { lastReport } from '@cadre/runtime'
import type { RouteContext } from '../api-context.ts'
import { starterOf } from '../guard/voter-of.ts'
import type { Routes } from '../http-route.ts'
import { HttpProblem, problemOf } from '../problem.ts'
import { bodySchema, booleanSchema, objectSchema, textSchema } from '../schemas.ts'
import { chooseEntryAgent } from './choose-entry-agent.ts'
import { handOffOf } from './hand-off-of.ts'
import { requestersBefore } from './requesters-before.ts'
import { requireIdle } from './require-idle.ts'
import { requireSession } from './require-session.ts'
import { runInOrder } from './run-in-order.ts'
import { requireOperate, startOnce } from './start-once.ts'
import { workspaceInside } from './workspace-inside.ts'

type Name = 'startSession' | 'sendMessage' | 'cancelSession' | 'resumeSession' | 'handOff'

const message = { type: 'string', minLength: 1, maxLength: 500_000, pattern: '\\S' } as const
const name = { type: 'string', minLength: 1, maxLength: 200 } as const
const started = objectSchema({ id: textSchema })

/** Routes that start, continue or stop sessions. Only the daemon's session keeper may do so. */
export const operateRoutes: Routes<Name> = {
  startSession: {
    operation: 'startSession',
    role: 'operator',
    needsDaemon: true,
    summary: "Start a session with an agent, or with a team's lead",
    description:
      'The Idempotency-Key becomes the session id if it is a valid file name. The workspace must be the daemon\'s folder or a folder inside it. `allow` can only restrict permissions: ["read"] starts a read-only session. To allow more, start the daemon with "cadre up --allow".',
    maxBytes: 2 << 20,
    status: 202,
    body: bodySchema({
      work: message,
      'agent?': name,
      'team?': name,
      'workspace?': { type: 'string', minLength: 1, maxLength: 4000 },
      'allow?': { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 40 } },
    }),
    schema: started,
    async answer({ body: request, caller, idempotencyKey }, context) {
      const { agent, team, work, workspace, allow } = request
      const operate = requireOperate(context)
      const chosen = chooseEntryAgent({ agent, team }, operate)
      const isReadOnly = readsOnly(allow)
      const id = await startOnce(context, caller, {
        key: idempotencyKey,
        agent: chosen,
        work: { content: work },
        workspace: workspaceInside(workspace, operate.daemon.workspace),
        ...(isReadOnly && { controls: { readOnly: true as const } }),
      })
      return { body: { id } }
    },
  },
  sendMessage: {
    operation: 'sendMessage',
    role: 'operator',
    needsDaemon: true,
    summary: 'Send a message to a session; an ended session continues with the message',
    maxBytes: 2 << 20,
    status: 202,
    body: bodySchema({ text: message }),
    schema: started,
    async answer({ params: { id }, body: { text: content }, caller, idempotencyKey }, context) {
      const { sessions, note } = requireOperate(context).daemon
      await requireSession(context, id)
      // The person's name is part of the key, so that nobody can use another person's key first.
      const key = `http:${caller.by}:${idempotencyKey ?? randomUUID()}`
      const work: Work & { readonly message: string } = { content, message: key, by: [starterOf(caller)] }
      await runInOrder([context.home.path, 'message', id, key], async () => {
        const isNew = (await sessions.delivery(id, key)) === 'unknown'
        if ((await sessions.tell(id, work)) === 'missing') throw gone(id)
        const sentence = `${caller.by} sent a message to ${id}.`
        if (isNew) note({ type: 'message.sent', message: sentence, session: id, by: caller.by })
      })
      return { body: { id } }
    },
  },
  cancelSession: {
    operation: 'cancelSession',
    role: 'operator',
    needsDaemon: true,
    summary: 'Stop a session and all sessions below it permanently',
    body: bodySchema({ 'reason?': { type: 'string', maxLength: 10_000 } }),
    schema: objectSchema({ cancelled: booleanSchema }),
    async answer({ params: { id }, body: { reason }, caller }, context) {
      const { sessions } = requireOperate(context).daemon
      await requireKnown(context, id)
      const why = reason?.trim() ? `by ${caller.by}: ${reason.trim()}` : `by ${caller.by}`
      return { body: { cancelled: await sessions.cancel(id, why) } }
    },
  },
  resumeSession: {
    operation: 'resumeSession',
    role: 'operator',
    needsDaemon: true,
    summary: 'Resume a session that was stopped or cancelled or that failed, and the rest of its tree',
    description:
      'If the session cannot be resumed, the answer is 409 with the reason. To continue a session that has ended in another way, send it a message.',
    status: 202,
    schema: started,
    async answer({ params: { id }, caller }, context) {
      const { sessions, note } = requireOperate(context).daemon
      const stored = await requireSession(context, id)
      const state = await sessions.state(id)
      if (state.kind === 'elsewhere') await requireIdle(context.home, stored)
      if (state.kind === 'ended' && state.outcome !== 'cancelled' && state.outcome !== 'error')
        throw new HttpProblem(409, `Session ${id} has ended. Send it a message to continue it.`)
      if (state.kind === 'waiting')
        throw new HttpProblem(409, `Session ${id} is waiting for a person. Decide its approvals first.`)
      await sessions.resumeOnRequest(id).catch((error) => {
        throw conflictOf(error)
      })
      note({
        type: 'session.resumed',
        message: `${caller.by} resumed ${id}.`,
        session: id,
        by: caller.by,
      })
      return { body: { id } }
    },
  },
  handOff: {
    operation: 'handOff',
    role: 'operator',
    needsDaemon: true,
    summary: "Accept one of a session's handoffs: start the other agent with the conversation",
    description: "`handoff` is the position in the session's `handoffs`, starting from 0.",
    maxBytes: 2 << 20,
    status: 202,
    body: bodySchema({ handoff: { type: 'integer', minimum: 0, maximum: 1000 }, 'prompt?': message }),
    schema: started,
    async answer({ params: { id }, body: request, caller, idempotencyKey }, context) {
      const stored = await requireSession(context, id)
      await requireIdle(context.home, stored)
      const handoff = offeredHandoff(stored, request.handoff)
      const prompt = request.prompt ?? handoff.prompt
      if (prompt.trim() === '')
        throw new HttpProblem(400, 'This handoff does not contain a message. Send one as "prompt".', {
          code: 'usage',
        })
      const start = handOffOf(stored, handoff, requireOperate(context))
      const made = await startOnce(context, caller, {
        key: idempotencyKey,
        ...start,
        work: { content: prompt, by: await requestersBefore(context, id) },
      })
      return { body: { id: made } }
    },
  },
}

/** The request is correct whatever prevents the run, so every reason is a conflict with the current state. */
function conflictOf(error: unknown): unknown {
  const problem = problemOf(error)
  if (problem === undefined) return error
  return new HttpProblem(409, problem.message, problem.code === undefined ? {} : { code: problem.code })
}

function offeredHandoff(stored: StoredSession, position: number) {
  const handoffs = lastReport(stored)?.handoffs ?? []
  const handoff = handoffs[position]
  if (handoff !== undefined) return handoff
  throw new HttpProblem(
    404,
    handoffs.length === 0
      ? `Session ${stored.spec.id} does not offer any handoffs.`
      : `Session ${stored.spec.id} has no handoff ${position}. Valid positions: 0 to ${handoffs.length - 1}.`,
    { code: 'not_found' },
  )
}

/** `allow` can only restrict the daemon's permissions, never extend them. */
function readsOnly(allow: readonly string[] | undefined): boolean {
  if (allow === undefined) return false
  const more = allow.filter((effect) => effect !== 'read')
  if (more.length === 0) return true
  throw new HttpProblem(
    403,
    `A request cannot allow ${more.map((one) => JSON.stringify(one)).join(', ')}. Start the daemon with "cadre up --allow", or add a rule to the policy.`,
    { code: 'policy' },
  )
}

/** A queued session does not have a file yet. */
async function requireKnown(context: RouteContext, id: string): Promise<void> {
  const { sessions } = requireOperate(context).daemon
  if (!isSessionName(id) || (await sessions.state(id)).kind === 'absent') throw gone(id)
}

function gone(id: string): HttpProblem {
  return new HttpProblem(404, `There is no session ${JSON.stringify(id)}.`, { code: 'not_found' })
}
