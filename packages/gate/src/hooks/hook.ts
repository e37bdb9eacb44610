import type { HookEvent } from '@cadre/agents'
import type { Diagnostic } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import type { HookScript } from './scripts-of.ts'

/** Whose rules hold for a hook: what it is told, and what its exit codes and its output mean. */
export type HookDialect = 'vscode' | 'copilot' | 'claude'

/** Where it comes from. Asked in this order, so that the administrator's hooks see a call as it will be run. */
export type HookLevel = 'agent' | 'project' | 'user' | 'policy'

export type HookAction =
  /** `shell` is absent where program and arguments are given apart: nothing reads them but the program. */
  | {
      readonly kind: 'command'
      readonly command: string
      readonly shell?: 'bash' | 'sh' | 'powershell' | 'cmd'
      readonly args?: readonly string[]
    }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly headers: { readonly [name: string]: string }
      /** Names of variables that the headers may mention. */
      readonly variables: readonly string[]
    }

/** One entry of a file, ready to be run. Plain data. */
export interface Hook {
  readonly event: HookEvent
  /** The event as the file spells it. */
  readonly spelling: string
  /** `camel` asks for the camelCase payload of the Copilot command. */
  readonly casing: 'camel' | 'pascal'
  readonly dialect: HookDialect
  readonly level: HookLevel
  readonly path: string
  readonly line: number
  readonly matcher?: string
  /** Claude Code's `if`: a permission rule such as `Bash(git push *)`. */
  readonly condition?: string
  readonly action: HookAction
  readonly timeoutMs: number
  readonly cwd?: string
  readonly env: { readonly [name: string]: string }
  /** Nobody waits for it, and what it says counts for nothing. */
  readonly background: boolean
  /** At most once in a session. */
  readonly once: boolean
  /** Files of the project that it runs. It is not run any more when one of them is changed. */
  readonly scripts?: readonly HookScript[]
  /** Why it is not run; absent when it is. */
  readonly idle?: string
  /** Why it may not be run although it counts: it ends as one that cannot be started. */
  readonly barred?: string
}

export type HookFileStatus = 'loaded' | 'partly' | 'failed'

export interface HookFile {
  readonly path: string
  readonly level: HookLevel
  readonly status: HookFileStatus
  readonly trusted: boolean
  /** What a person agrees to when they trust this file: its text and the scripts of the project that it names. */
  readonly sha256: string
  /** Of the user or the administrator: what it runs of this project, which a person has to agree to. */
  readonly projectFiles?: TrustItem & { readonly files: readonly string[] }
  /** How many entries of it can be run, were they trusted. */
  readonly hooks: number
}

/** Everything that was found. */
export interface HookSet {
  readonly hooks: readonly Hook[]
  readonly files: readonly HookFile[]
  readonly diagnostics: readonly Diagnostic[]
}
