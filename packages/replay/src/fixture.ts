import type { Allowed, Controls, Entry, Isolation, JsonObject, RunLimits, SessionSpec } from '@cadre/core'

/** The first value in every fixture. It distinguishes fixtures from other JSON files. */
export const fixtureFormat = 'cadre-fixture'

/** The version that this program writes and reads. */
export const fixtureVersion = 1

/**
 * A finished run as plain data: the work, its sessions and their entries. Texts do not contain secrets, and contain placeholders instead of
 * paths and session ids: see `placeholders.ts`.
 */
export interface Fixture {
  readonly format: typeof fixtureFormat
  readonly version: typeof fixtureVersion
  /** When it was recorded, as an ISO date. */
  readonly recorded: string
  readonly run: FixtureRun
  /** Parents before children. The first is the entry session. */
  readonly sessions: readonly FixtureSession[]
}

/** How the run was started. */
export interface FixtureRun {
  readonly agent: string
  /** The entry agent's built-in team: `NAME` or `NAME/VARIANT`. */
  readonly team?: string
  readonly targets: readonly string[]
  readonly model: string
  readonly work: SessionSpec['work']
  readonly history?: SessionSpec['history']
  readonly outputSchema?: JsonObject
  readonly delegation: boolean
  readonly controls?: Controls
  readonly limits?: RunLimits
  /** `--allow`. */
  readonly allow?: readonly Exclude<Allowed, 'read'>[]
  /** `--no-human`. */
  readonly noHuman?: true
}

export interface FixtureSession {
  /** The call that started it. Absent for the entry session, and for a plain model that answered instead. */
  readonly parent?: SessionParent
  readonly agent: string
  /** The agent's definition at that time, without its prompt and its file. */
  readonly definition: JsonObject
  readonly model: string
  readonly systemPrompt: string
  readonly isolation?: { readonly kind: Isolation['kind']; readonly reason?: string; readonly returns?: true }
  /** The journal without times. In a start, `child` and `members` are the numbers of sessions in this file, starting from 1. */
  readonly entries: readonly FixtureEntry[]
}

export interface SessionParent {
  /** The session's number in this file, starting from 1. */
  readonly session: number
  readonly call: string
  /** For a teammate: its name in the team. */
  readonly member?: string
}

type Timeless<T> = T extends unknown ? Omit<T, 'timestamp'> : never

export type FixtureEntry = Timeless<Entry>
