import type { Tool, ToolResult } from '@cadre/core'
import type { TeamFiles } from '@cadre/home'
import type { ReplayScheduler } from './replay-scheduler.ts'

/** The same tools for the gate and the model, but none of them runs: the recording provides the outcomes. */
export function replayTools(
  stage: ReplayScheduler,
  tools: readonly Tool[],
  teams: TeamFiles,
): readonly Tool[] {
  return tools.map((tool) => {
    const { check: _check, ...rest } = tool
    return {
      ...rest,
      async run(input, context, signal) {
        const outcome = await outcomeOf(stage, context.session, context.call, signal)
        if (tool.name === 'send_message' && outcome.failed !== true)
          await countMessage(teams, context, input as { to: string; text: string })
        return outcome
      },
    }
  })
}

async function outcomeOf(
  stage: ReplayScheduler,
  session: string,
  call: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const live = stage.live(session)
  const recorded = live?.lane.results.get(call)
  if (live !== undefined && recorded === undefined && live.lane.ends.at(-1)?.report.status === 'cancelled') {
    await stage.awaitStop(live, signal)
    signal.throwIfAborted()
  }
  if (live === undefined || recorded === undefined || recorded.outcome === 'refused')
    return {
      failed: true,
      content: 'This call was not carried out: the recording contains no outcome for it.',
    }
  const { content, images, outcome, usage } = recorded
  return {
    content: stage.text(live, content),
    ...(images && { images }),
    ...(usage && { usage }),
    ...(outcome !== undefined && { failed: true }),
  }
}

/** Some rules limit the number of team messages, so messages are counted, in a folder that is deleted after the replay. */
async function countMessage(
  teams: TeamFiles,
  { session, key }: { readonly session: string; readonly key: string },
  { to, text }: { readonly to: string; readonly text: string },
): Promise<void> {
  const address = teams.addressOf(session, to)
  if (address?.kind !== 'member') return
  const { team, member, from } = address
  await teams.post(team, {
    id: key,
    at: new Date(0).toISOString(),
    from,
    session,
    to: member,
    text,
    depth: 0,
  })
}
