/**
 * What a task means. `read-tasks.ts` finds where the tasks of a file are, byte by byte; this is what they say.
 */

/** `[ ]` or `[_]` · `[~]` · `[x]` · `[-]` · `[-]` with `status: failed`. */
export type TaskState = 'open' | 'running' | 'done' | 'skipped' | 'failed'

export interface TaskItem {
  /** As written, always text; nothing when none is written. */
  readonly id: string | undefined
  /** Counted from 1. */
  readonly line: number
  readonly state: TaskState
  /** A letter, as written. */
  readonly priority: string | undefined
  /** Of `@who`, in order, without the sign. */
  readonly who: readonly string[]
  /** Of `#tag`, in order, without the sign. */
  readonly tags: readonly string[]
  readonly title: string
  /** Inline and indented fields by key, in order, decoded; a block is its lines. */
  readonly fields: ReadonlyMap<string, string>
  /** The id of the nearest task it stands below, else of its field `parent`. */
  readonly parent: string | undefined
  /** Of `depends_on`, split at commas and spaces. */
  readonly dependsOn: readonly string[]
  /** The heading it stands under, without signs; empty above the first. */
  readonly section: string
  /** 0 for a task that stands below none. */
  readonly depth: number
}

export interface TaskProblem {
  readonly severity: 'error' | 'warning'
  /** `TD001` … as `docs/tasks.md` lists them. */
  readonly code: string
  readonly message: string
  readonly line: number
  readonly column: number
}

export interface TaskFile {
  /** In the order of the file. A broken task is among them with what could be understood, unless nothing could. */
  readonly tasks: readonly TaskItem[]
  readonly problems: readonly TaskProblem[]
}

/** What to change of a task. What is not named stays as it is, byte for byte. */
export interface TaskChange {
  readonly state?: TaskState
  readonly title?: string
  readonly priority?: string | null
  readonly who?: readonly string[]
  readonly tags?: readonly string[]
  /** Null takes a field away. Text of several lines becomes a block. */
  readonly fields?: Readonly<Record<string, string | null>>
}

export interface NewTask {
  /** Made when absent; refused when a task of the file has it. */
  readonly id?: string
  readonly title: string
  readonly state?: TaskState
  readonly priority?: string
  readonly who?: readonly string[]
  readonly tags?: readonly string[]
  readonly fields?: Readonly<Record<string, string>>
  /** Below this task of the same file; at the end of its section when absent. */
  readonly parent?: string
}
