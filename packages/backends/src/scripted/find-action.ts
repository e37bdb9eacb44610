import { didYouMean } from '@cadre/core'
import type { CompiledAction } from './compile-action.ts'
import type { CompiledLane, CompiledPlaybook, StepTrack } from './compile-playbook.ts'
import { quoteText, type RequestView } from './request-view.ts'

/** Returns the action of this round, or a sentence on why there is none. */
export function findAction(playbook: CompiledPlaybook, asked: RequestView): CompiledAction | string {
  const { agent, round } = asked.request
  const lane = playbook.lanes.get(agent) ?? playbook.lanes.get('*')
  if (lane === undefined) return noLane(playbook, asked)
  const track = lane.tracks.find(({ when }) => when?.(asked) === undefined)
  if (track === undefined)
    return `${lane.where}: no variant of lane ${quoteText(agent)} matches the session. Its work is: ${quoteText(asked.work)}.`
  const position = round - 1
  if (track.reached < round) track.reached = round
  const slot = position < track.steps.length ? track.steps.slotAt(position) : track.after
  if (slot === undefined) return outOfSteps(lane, track, asked)
  return (
    slot.pick(asked) ??
    `${slot.where}: no alternative matches round ${round} of ${quoteText(agent)}. The last message was: ${quoteText(asked.last)}.`
  )
}

function outOfSteps(lane: CompiledLane, track: StepTrack, asked: RequestView): string {
  const { agent, round } = asked.request
  const { length } = track.steps
  const has = length === 1 ? '1 step' : `${length} steps`
  return `${track.where}: lane ${quoteText(lane.agent)} has ${has}, but ${quoteText(agent)} is in round ${round}. The last message was: ${quoteText(asked.last)}.`
}

function noLane(playbook: CompiledPlaybook, asked: RequestView): string {
  const { agent, round } = asked.request
  const names = [...playbook.lanes.keys()]
  const hint = didYouMean(agent, names) || `. Lanes: ${names.join(', ')}.`
  return `${playbook.where}: there is no lane for ${quoteText(agent)} (round ${round}, last message: ${quoteText(asked.last)})${hint}`
}
