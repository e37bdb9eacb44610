/** The meaning of a task. `read-tasks.ts` finds the bytes of tasks in a file; these types describe their content. */

/** `[ ]` or `[_]` · `[~]` · `[x]` · `[-]` · `[-]` with `status: failed`. */
export type TaskState = 'open' | 'running' | 'done' | 'skipped' | 'failed'

export interface TaskItem {
  /** As written, always text. Undefined if the task has no id. */
  readonly id: string | undefined
  /** Counted from 1. */
  readonly line: number
  readonly state: TaskState
  /** A letter, as written. */
  readonly priority: string | undefined
  /** The names of `@who`, in order, without `@`. */
  readonly who: readonly string[]
  /** The names of `#tag`, in order, without `#`. */
  readonly tags: readonly string[]
  readonly title: string
  /** Inline and indented fields by key, in order and decoded. A block is its lines. */
  readonly fields: ReadonlyMap<string, string>
  /** The id of the task above it, or of its field `parent`. */
  readonly parent: string | undefined
  /** The ids in `depends_on`, separated by commas and spaces. */
  readonly dependsOn: readonly string[]
  /** Its heading without `#`. Empty above the first heading. */
  readonly section: string
  /** 0 for a top-level task. */
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
  /** In file order. Includes the readable parts of broken tasks. */
  readonly tasks: readonly TaskItem[]
  readonly problems: readonly TaskProblem[]
}

/** A change of a task. Absent fields stay unchanged, byte for byte. */
export interface TaskChange {
  readonly state?: TaskState
  readonly title?: string
  readonly priority?: string | null
  readonly who?: readonly string[]
  readonly tags?: readonly string[]
  /** Null removes a field. Multi-line text becomes a block. */
  readonly fields?: Readonly<Record<string, string | null>>
}

export interface NewTask {
  /** Generated if absent. Refused if a task of the file has it. */
  readonly id?: string
  readonly title: string
  readonly state?: TaskState
  readonly priority?: string
  readonly who?: readonly string[]
  readonly tags?: readonly string[]
  readonly fields?: Readonly<Record<string, string>>
  /** The parent task in the same file. Default: none, at the end of the section. */
  readonly parent?: string
}
