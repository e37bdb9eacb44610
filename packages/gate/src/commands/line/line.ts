/**
 * A command line that can run without a shell. The judged value is exactly what runs. Plain data, because the runner reads
 * it as JSON.
 */
export type List = readonly Step[]

export interface Step {
  /** The operator before it; `;` for the first one and after a line break. */
  readonly after: ';' | '&&' | '||'
  /** One command, or the stages of a pipeline. */
  readonly stages: readonly Stage[]
}

/** Returns all steps, including those in groups. */
export function stepsIn(list: List): readonly Step[] {
  const inner = (stage: Stage) => (stage.kind === 'group' ? stepsIn(stage.list) : [])
  return list.flatMap((step) => [step, ...step.stages.flatMap(inner)])
}

export type Stage = Command | Group

export interface Command {
  readonly kind: 'command'
  /** Empty if there are only redirects. */
  readonly words: readonly Word[]
  readonly variables: { readonly [name: string]: string }
  readonly redirects: readonly Redirect[]
}

/** `( … )`: a `cd` in it has no effect after it. */
export interface Group {
  readonly kind: 'group'
  readonly list: List
  readonly redirects: readonly Redirect[]
}

export interface Word {
  readonly text: string
  /** Set if the word expands to matching file names. */
  readonly glob?: readonly GlobPart[]
  /** Offsets in the text where the last exit code is inserted. */
  readonly status?: readonly number[]
}

export type GlobPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'one' }
  | {
      readonly kind: 'set'
      /** The written form, used if nothing matches. */
      readonly text: string
      readonly ranges: readonly (readonly [from: string, to: string])[]
      readonly negated: boolean
    }

export type Redirect =
  | { readonly fd: 0 | 1 | 2; readonly kind: 'read' | 'write' | 'append'; readonly path: string }
  | { readonly fd: 0 | 1 | 2; readonly kind: 'copy'; readonly from: 1 | 2 }
  | { readonly fd: 0; readonly kind: 'text'; readonly text: string }

/** A line is either plain or needs a shell; then only a person can allow it. */
export type ParsedLine =
  | { readonly kind: 'plain'; readonly list: List }
  | { readonly kind: 'shell'; readonly why: string }
