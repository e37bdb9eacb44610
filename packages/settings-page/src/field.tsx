import type { ComponentChildren } from 'preact'
import type { Problem } from './protocol.ts'

/** A problem as a sentence: a message in lower case continues after the field name. */
export function sentenceOf(label: string, { message }: Problem): string {
  if (!/^[a-z"]/.test(message)) return message
  // "Instructions are empty": a label can be a plural.
  return `${label} ${/s$/.test(label) ? message.replace(/^is /, 'are ') : message}`
}

export interface NotesProps {
  readonly id: string
  readonly label: string
  readonly problems: readonly Problem[]
}

/** The problems of a field, next to it. */
export function Notes({ id, label, problems }: NotesProps) {
  if (problems.length === 0) return null
  return (
    <div id={id} class="notes">
      {problems.map((problem) => (
        <p key={problem.path + problem.message} class={problem.prevents ? 'error' : 'warning'}>
          <strong>{problem.prevents ? 'Error: ' : 'Warning: '}</strong>
          {sentenceOf(label, problem)}
        </p>
      ))}
    </div>
  )
}

export interface FieldProps {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly problems: readonly Problem[]
  /** The length of the text, and its limit. */
  readonly count?: { readonly length: number; readonly max: number }
  readonly children: (attributes: FieldAttributes) => ComponentChildren
}

export interface FieldAttributes {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

/** A labelled field with its hint and its problems. */
export function Field({ id, label, hint, problems, count, children }: FieldProps) {
  const described = [hint === undefined ? '' : `${id}-hint`, problems.length === 0 ? '' : `${id}-notes`]
  const describedBy = described.filter((part) => part !== '').join(' ')
  return (
    <div class="field">
      <div class="label">
        <label for={id}>{label}</label>
        {count && (
          <span class="hint">
            {count.length.toLocaleString('en')} of {count.max.toLocaleString('en')} characters
          </span>
        )}
      </div>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': problems.some(({ prevents }) => prevents),
      })}
      <Notes id={`${id}-notes`} label={label} problems={problems} />
    </div>
  )
}
