import type { CompiledPlaybook } from './compile-playbook.ts'

/** A line of a playbook that no session reached. */
export interface UnusedStep {
  /** `path:line`, or the key path in a playbook made in code. */
  readonly where: string
  readonly agent: string
  /** The unplayed rounds, from 1, inclusive. */
  readonly rounds: { readonly from: number; readonly to: number }
}

/** Returns unused lines, in order. `default` and unused alternatives do not count. */
export function unusedSteps(playbook: CompiledPlaybook): UnusedStep[] {
  return [...playbook.lanes.values()].flatMap((lane) =>
    lane.tracks.flatMap((track) =>
      track.steps.lines
        .filter(({ last }) => last >= track.reached)
        .map(({ slot, first, last }) => ({
          where: slot.where,
          agent: lane.agent,
          rounds: { from: Math.max(first, track.reached) + 1, to: last + 1 },
        })),
    ),
  )
}
