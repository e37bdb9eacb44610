import type { ResultDraft } from '../ports/entry.ts'
import { messageOf } from '../ports/errors.ts'
import type { JudgedCall } from '../ports/gate.ts'
import type { Notice } from '../ports/report.ts'
import type { ToolContext, ToolResult } from '../ports/tool.ts'
import { reserveForCall } from './reserve-for-call.ts'
import type { Session } from './session.ts'
import { untilStopped } from './until-stopped.ts'

/** How a call was settled, without the call's name. */
export type Outcome = Omit<ResultDraft, 'role' | 'tool_call_id'> & {
  /** For the session's report. Recorded beside the result. */
  readonly notices?: readonly Notice[]
}

/** How many milliseconds an aborted tool has to stop before the session continues without it. */
export const stopGrace = 5_000

/** How many milliseconds pass between two texts about the progress of a call. */
const progressInterval = 200

/** Runs the tool. A failed tool is data for the model; a stopped one has no outcome. */
export async function perform(
  session: Session,
  { call, tool, input }: JudgedCall,
): Promise<Outcome | undefined> {
  const { node, ports } = session
  if (node.signal.aborted) return undefined
  const reserve = reserveForCall(session, call.id)
  const progress = progressOf(session, call.id)
  const context = {
    ...toolContext(session, call.id),
    progress: progress.show,
    ...(reserve && { reserve }),
  }
  const ran = runTool(() => tool.run(input, context, node.signal), node.signal)
  let result = await untilStopped(ran, node, undefined)
  if (result === undefined && node.signal.aborted) result = await withGrace(ran, ports.clock)
  progress.end()
  if (result === undefined) return undefined
  const { content, images, failed, usage, notices } = result
  return {
    content,
    ...(failed && { outcome: 'failed' as const }),
    ...(images && { images }),
    ...(usage && { usage }),
    ...(notices && { notices }),
  }
}

/** A tool may report anything at any rate, and also after it was stopped. */
function progressOf(session: Session, call: string) {
  let isOver = false
  let shown = ''
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show(text: string): void {
      const now = session.ports.clock.now()
      if (isOver || text === shown || Math.abs(now - shownAt) < progressInterval) return
      shown = text
      shownAt = now
      session.emit({ type: 'call.progressed', call, text })
    },
    end(): void {
      isOver = true
    },
  }
}

export function toolContext(session: Session, call: string): ToolContext {
  const { id, agent, workspace } = session.spec
  const { name, boundary } = agent
  const started = session.state.calls.get(call)?.started
  const approved = started?.['approved'] === true
  return {
    session: id,
    agent: name,
    call,
    key: `${id}/${call}`,
    workspace,
    ...(boundary && { boundary }),
    ...(approved && { approved }),
  }
}

/** Also catches what a tool throws before it returns its promise. */
async function runTool(
  start: () => Promise<ToolResult>,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  try {
    return await start()
  } catch (error) {
    return signal.aborted ? undefined : { content: messageOf(error), failed: true }
  }
}

function withGrace(
  ran: Promise<ToolResult | undefined>,
  clock: Session['ports']['clock'],
): Promise<ToolResult | undefined> {
  return new Promise((resolve) => {
    const disarm = clock.after(stopGrace, () => resolve(undefined))
    void ran.then((result) => {
      disarm()
      resolve(result)
    })
  })
}
