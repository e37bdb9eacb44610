import type { ComponentChildren, Ref } from 'preact'
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

export interface TextFieldProps {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly problems: readonly Problem[]
  readonly value: string
  readonly onInput: (text: string) => void
  /** The number of characters that the text may have. */
  readonly max?: number
  /** The height of a text with several lines. */
  readonly rows?: number
  /** Browsers must not correct or complete it. */
  readonly isExact?: boolean
  /** More attributes of a text with one line. */
  readonly input?: InputAttributes
  /** The id of a `datalist` with suggestions. */
  readonly list?: string
  readonly children?: ComponentChildren
}

export interface InputAttributes {
  readonly ref?: Ref<HTMLInputElement>
  readonly maxLength?: number
  readonly onFocus?: () => void
  readonly onBlur?: () => void
}

/** A labelled text field with its hint and its problems. */
export function TextField(props: TextFieldProps) {
  const { id, label, hint, problems, value, onInput, max, rows, isExact, input, list, children } = props
  const attributes = {
    id,
    'aria-describedby': problems.length === 0 ? `${id}-hint` : `${id}-hint ${id}-notes`,
    'aria-invalid': problems.some(({ prevents }) => prevents),
    value,
  }
  return (
    <div class="field">
      <div class="label">
        <label for={id}>{label}</label>
        {max !== undefined && (
          <span class="hint">
            {[...value].length.toLocaleString('en')} of {max.toLocaleString('en')} characters
          </span>
        )}
      </div>
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
      {rows === undefined ? (
        <input
          {...attributes}
          {...(isExact && { autocomplete: 'off', spellcheck: false })}
          {...input}
          list={list}
          type="text"
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      ) : (
        <textarea {...attributes} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
      {children}
      <Notes id={`${id}-notes`} label={label} problems={problems} />
    </div>
  )
}
