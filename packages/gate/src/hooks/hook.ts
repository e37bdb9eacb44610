import type { HookEvent } from '@cadre/agents'
import type { Diagnostic } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import type { HookScript } from './scripts-of.ts'

/** The dialect decides the payload of a hook and the meaning of its exit codes and output. */
export type HookDialect = 'vscode' | 'copilot' | 'claude'

/** Its source. Evaluated in this order, so that the administrator's hooks see a call as it will run. */
export type HookLevel = 'agent' | 'project' | 'user' | 'policy'

export type HookAction =
  /** `shell` is absent if program and arguments are separate: then no shell interprets them. */
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
      /** Variables that the headers may reference. */
      readonly variables: readonly string[]
    }

/** One entry of a hook file, ready to run. Plain data. */
export interface Hook {
  readonly event: HookEvent
  /** The event name as written in the file. */
  readonly spelling: string
  /** `camel` selects the camelCase payload of the Copilot CLI. */
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
  /** Cadre does not wait for it and ignores its answer. */
  readonly background: boolean
  /** Runs at most once per session. */
  readonly once: boolean
  /** The project files that it runs. It no longer runs if one of them changes. */
  readonly scripts?: readonly HookScript[]
  /** Why it does not run; absent if it does. */
  readonly idle?: string
  /** Why it must not run although it is required: it is treated like a hook that cannot start. */
  readonly denyReason?: string
}

export type HookFileStatus = 'loaded' | 'partly' | 'failed'

export interface HookFile {
  readonly path: string
  readonly level: HookLevel
  readonly status: HookFileStatus
  readonly trusted: boolean
  /** The fingerprint that a person trusts: its text and the project scripts that it names. */
  readonly sha256: string
  /** For hooks of the user or the administrator: the project files they run, which need trust. */
  readonly projectFiles?: TrustItem & { readonly files: readonly string[] }
  /** The number of entries that can run if trusted. */
  readonly hooks: number
}

/** Everything that was found. */
export interface HookSet {
  readonly hooks: readonly Hook[]
  readonly files: readonly HookFile[]
  readonly diagnostics: readonly Diagnostic[]
}
