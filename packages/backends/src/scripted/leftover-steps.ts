import type { CompiledPlaybook } from './compile-playbook.ts'

/** A line of a playbook that no session ever came to. */
export interface Leftover {
  /** `path:line`, or the way of keys of a playbook made in code. */
  readonly where: string
  readonly agent: string
  /** The rounds that were not played, from 1, both included. */
  readonly rounds: { readonly from: number; readonly to: number }
}

/**
 * Lines never used, in the playbook's order. Lines after `default:` are never left over, and neither is an alternative
 * that was not taken.
 */
export function leftoversOf(playbook: CompiledPlaybook): Leftover[] {
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
