import type { PathRequest, ResolvedPath } from '../paths/path-resolver.ts'
import type { Allowlist, Decision } from './allowlist.ts'
import type { Program } from './resolve-program.ts'

/** The part of `PathResolver` that commands need. */
export interface PathChecker {
  judge(request: PathRequest): {
    readonly kind: ResolvedPath['kind']
    readonly real?: string
    readonly reason?: string
  }
  protectedIn(workspace: string): readonly string[]
}

export interface CommandRuleOptions {
  /** The lists of the user and the home. The strictest decision of these applies, then the shipped list. */
  readonly allowlists: () => readonly Allowlist[]
  /** The decision for commands that no list matches. */
  readonly execute: Decision
  /** Where `execute` is set. */
  readonly decidedBy?: string | undefined
  /** The user or the organisation allows it, not a project, so it also applies without a sandbox. */
  readonly isOwnExecute?: boolean
  /** The decision for workspace files that a redirect writes. */
  readonly write?: Decision
  /** False without bubblewrap: then only the user's own rules allow more than reading. */
  readonly sandboxed: boolean
  readonly places: PathChecker
  /** False if the policy forbids automatic approval: then lists allow nothing. */
  readonly beforehand: boolean
  /** The search path for programs, as in `PATH`. */
  readonly searchPath?: string | undefined
  /** Folders besides the workspace in which no program is searched for: the project and the home. */
  readonly excluded?: readonly string[]
}

/** A command line, its folder, and the settings that it is judged by. */
export interface LineRequest {
  readonly source: string
  readonly workspace: string
  /** The folder in which the line starts. */
  readonly cwd: string
  readonly options: CommandRuleOptions
  /** The current lists. */
  readonly lists: readonly Allowlist[]
  readonly resolve: (name: string) => Program
}
