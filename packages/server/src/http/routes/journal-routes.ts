import { CadreError } from '@cadre/core'
import { findJournalProblems } from '@cadre/journal'
import { editSessionFile, historyBefore, rewindSession, sharedFolder } from '@cadre/runtime'
import type { RouteContext } from '../api-context.ts'
import type { Routes } from '../http-route.ts'
import { HttpProblem } from '../problem.ts'
import { requireMatch } from '../require-match.ts'
import { bodySchema, countSchema, objectSchema, schemaRef, textSchema } from '../schemas.ts'
import { etagOf } from '../send-answer.ts'
import { chooseEntryAgent } from './choose-entry-agent.ts'
import { rejectUnsandboxed } from './reject-unsandboxed.ts'
import { recordRequestersOf, requestersBefore } from './requesters-before.ts'
import { requireIdle } from './require-idle.ts'
import { requireSession } from './require-session.ts'
import { requireOperate, startOnce } from './start-once.ts'

type Name = 'rewindSession' | 'forkSession' | 'putJournal'

const seq = { type: 'integer', minimum: 1, maximum: 2 ** 31 } as const

/** Changes to a session's conversation. Files, commits and other sessions do not change. */
export const journalRoutes: Routes<Name> = {
  rewindSession: {
    operation: 'rewindSession',
    role: 'operator',
    needsDaemon: true,
    summary: 'Remove a journal entry and everything after it',
    description:
      'If the entry is in the middle of a round whose calls have run, Cadre removes the whole round, so that no call runs twice. The answer lists what remains on disk. If the remaining entries do not end the session, it continues immediately: Cadre sends a new request to the model.',
    query: { dryRun: { type: 'boolean', description: 'Only report what would happen' } },
    body: bodySchema({ seq }),
    schema: schemaRef('RewindResult'),
    async answer({ params: { id }, query: { dryRun = false }, body: wanted, ifMatch, caller }, context) {
      const stored = await requireSession(context, id)
      if (!dryRun) await requireIdle(context.home, stored)
      if (!dryRun) await recordRequestersOf(context, id, caller)
      const done = await rewindSession(context.home, {
        spec: stored.spec,
        seq: wanted.seq,
        dryRun,
        check: (bytes) => requireMatch(ifMatch, etagOf(bytes)),
      })
      if (dryRun) return { body: done }
      const { note, sessions } = requireOperate(context).daemon
      note({
        type: 'session.rewound',
        message: `${caller.by} removed ${done.removed} entries from ${id}, from number ${done.seq}.`,
        session: id,
        by: caller.by,
      })
      // Has no effect on a session that has ended.
      await sessions.resume(id)
      return { body: done }
    },
  },
  forkSession: {
    operation: 'forkSession',
    role: 'operator',
    needsDaemon: true,
    summary: 'Start a new session with the conversation before an entry',
    description:
      "The new session works with the files as they are now: in the same folder or, if the original session has its own workspace, in the folder that the workspace was created from. The original session's restrictions apply to the new one.",
    maxBytes: 2 << 20,
    status: 201,
    body: bodySchema({
      seq,
      work: { type: 'string', minLength: 1, maxLength: 500_000, pattern: '\\S' },
      'agent?': { type: 'string', minLength: 1, maxLength: 200 },
    }),
    schema: objectSchema({ id: textSchema }),
    async answer({ params: { id }, body: wanted, caller, idempotencyKey }, context) {
      const stored = await requireSession(context, id)
      const operate = requireOperate(context)
      const history = historyBefore(stored, wanted.seq)
      const agent = chooseEntryAgent({ agent: wanted.agent ?? stored.spec.agent.name }, operate)
      const made = await startOnce(context, caller, {
        key: idempotencyKey,
        agent,
        work: { content: wanted.work, by: await requestersBefore(context, id) },
        workspace: sharedFolder(stored.spec),
        ...(history.length > 0 && { history }),
        ...(stored.spec.controls && { controls: stored.spec.controls }),
      })
      return { body: { id: made } }
    },
  },
  putJournal: {
    operation: 'putJournal',
    role: 'admin',
    needsDaemon: true,
    summary: "Replace a session file's text, if the new text is valid",
    description:
      'Works only while no process is running the session. A journal contains approvals, so this needs the role admin.',
    maxBytes: 64 << 20,
    body: bodySchema({ text: { type: 'string', minLength: 1 } }),
    schema: objectSchema({ entries: countSchema }),
    async answer({ params: { id }, body: wanted, ifMatch, caller }, context) {
      const stored = await requireSession(context, id)
      rejectUnsandboxed(context.home)
      await requireIdle(context.home, stored)
      rejectFaults(wanted.text, id)
      const bytes = Buffer.from(wanted.text)
      await recordRequestersOf(context, id, caller)
      await editSessionFile(context.home, stored.spec, (current) => {
        requireMatch(ifMatch, etagOf(current))
        return bytes
      })
      requireOperate(context).daemon.note({
        type: 'session.edited',
        message: `${caller.by} edited the session file of ${id}.`,
        session: id,
        by: caller.by,
      })
      return { body: { entries: (await reread(context, id)).length }, etag: etagOf(bytes) }
    },
  },
}

const maxFaults = 20

/** Everything that Cadre could not read, or would omit. */
function rejectFaults(content: string, id: string): void {
  const faults: string[] = []
  if (/^session_id: /m.exec(content) !== null && !hasName(content, id))
    faults.push(`Line 1: session_id must stay ${JSON.stringify(id)}.`)
  for (const problem of findJournalProblems(content)) {
    if (problem !== undefined) faults.push(`Line ${problem.line}: ${problem.message}`)
    if (faults.length === maxFaults) break
  }
  if (content.trim() === '') faults.push('The text is empty.')
  if (faults.length > 0)
    throw new HttpProblem(400, `The text was not saved. ${faults.join(' ')}`, { code: 'corrupt' })
}

function hasName(content: string, id: string): boolean {
  const written = /^session_id: *(.*)$/m.exec(content)?.[1]?.trim() ?? ''
  return written.replace(/^(['"])(.*)\1$/, '$2') === id
}

async function reread(context: RouteContext, id: string) {
  try {
    return (await requireSession(context, id)).entries
  } catch (error) {
    if (error instanceof CadreError) return []
    throw error
  }
}
