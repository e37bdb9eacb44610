export type Severity = 'error' | 'warning' | 'info'

const shapes: Readonly<Record<Severity, string>> = { error: '✕', warning: '▲', info: 'ℹ' }

/** A shape and a word, so that nobody has to distinguish colours. */
export function SeverityMark({ severity }: { readonly severity: Severity }) {
  return (
    <span class={`severity severity-${severity}`}>
      <span aria-hidden="true">{shapes[severity]} </span>
      {severity}
    </span>
  )
}
