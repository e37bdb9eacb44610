import { CadreError } from '@cadre/core'
import { isInside, realPathOf } from '@cadre/disk'
import { type ApprovalRecord, actionLines, isDoubt } from '@cadre/gate'
import { type Runtime, type TrustFlags, teamForRun, withRecordedGrant } from '@cadre/runtime'
import type * as vscode from 'vscode'
import { isSessionId } from '../home/session-id.ts'
import { codeLines, codeSpan } from '../markdown.ts'
import { approvalButtons } from './approval-buttons.ts'
import { approvalTitle, detailText } from './approval-text.ts'
import { showResult, type Turn } from './turn.ts'

/** `/approve`: shows pending approvals. `/approve SESSION` continues that session here, and asks its questions here. */
export async function approve(turn: Turn): Promise<vscode.ChatResult> {
  const wanted = turn.request.prompt.trim()
  if (wanted !== '') return resume(turn, wanted)
  const { pending, suspended } = await turn.use(async (runtime) => {
    const pending = await runtime.engine.approvals.list()
    return { pending, suspended: await suspendedRoots(runtime, pending) }
  })
  const [only] = suspended
  // If only one run has pending approvals, it is resumed and asked here.
  if (only !== undefined && pending.every(({ root }) => root === only)) return resume(turn, only)
  return list(turn, pending, suspended)
}

/** The suspended entry sessions, those with questions first. */
async function suspendedRoots(runtime: Runtime, pending: readonly ApprovalRecord[]): Promise<string[]> {
  const sleeping = (await runtime.list())
    .filter(({ parent, status }) => parent === undefined && status === 'sleeping')
    .map(({ id }) => id)
  const asking = new Set(pending.map(({ root }) => root))
  return [...asking, ...sleeping.filter((id) => !asking.has(id))].filter(
    (root) => runtime.owner(root) === undefined,
  )
}

function list(
  { chat }: Turn,
  pending: readonly ApprovalRecord[],
  suspended: readonly string[],
): vscode.ChatResult {
  if (pending.length === 0 && suspended.length === 0) {
    chat.tell('No pending approvals.')
    return {}
  }
  for (const record of pending) {
    const { agent, type, session, question, choices } = record
    chat.tell(
      [
        `${approvalTitle({ isDoubt: isDoubt(record), who: agent, tool: type })} Session: ${codeSpan(session)}`,
        codeLines(actionLines(record)),
        detailText(record),
      ].join('\n\n'),
    )
    approvalButtons(chat, { session, question, choices })
  }
  for (const root of suspended) {
    chat.tell(`${codeSpan(root)} is suspended.`)
    chat.button('Resume Here', 'copilotMultiAgent.resumeSession', { session: root })
  }
  return {}
}

/** Resumes with the recorded grants and the built-in team of the run, like `cadre resume`. */
async function resume(turn: Turn, wanted: string): Promise<vscode.ChatResult> {
  if (!isSessionId(wanted)) throw new CadreError('usage', `${JSON.stringify(wanted)} is not a session id.`)
  const { granted } = withRecordedGrant<TrustFlags>(turn.services.homes.environment(turn.folder), {}, wanted)
  // Read by a separate runtime: the team of a run is known only after its home is trusted.
  const { session, team } = await turn.use(
    async (runtime) => {
      const session = await runtime.find(wanted)
      const { spec } = await runtime.read(session)
      requireOwnFolder(turn, runtime, spec)
      const root = spec.root === session ? spec : (await runtime.read(spec.root)).spec
      return { session, team: teamForRun(root) }
    },
    { granted },
  )
  return turn.use(
    async ({ orchestrator }) => showResult(turn, await orchestrator.resume(session, {}, turn.signal)),
    // A session does not record whether its team was chosen or the default, so the person at the chat is asked.
    { granted, ...team, teamPermits: false },
  )
}

/** A session file names its own workspace. A session of another folder is not continued here. */
function requireOwnFolder(
  { folder }: Turn,
  { home }: Runtime,
  { id, workspace, isolation }: Awaited<ReturnType<Runtime['read']>>['spec'],
): void {
  const place = isolation?.kind === 'own' ? isolation.base : workspace
  const isHere = [folder.uri.fsPath, home.at('workspaces')].some((own) =>
    isInside(realPathOf(own), realPathOf(place)),
  )
  if (isHere) return
  throw new CadreError(
    'usage',
    `Session ${id} belongs to the folder ${place}. Open that folder to continue it.`,
  )
}
