import { useMemo } from 'preact/hooks'
import { showHidden } from './show-hidden.ts'
import { VirtualRows } from './virtual-rows.tsx'

/** Above this number of lines, only visible lines are rendered, without wrapping. */
const most = 3000

/** Text exactly as it will be used: never shortened, wrapped if necessary, with hidden characters as escapes. */
export function ExactText({ text, label = 'Text' }: { readonly text: string; readonly label?: string }) {
  const lines = useMemo(() => text.split('\n'), [text])
  if (lines.length <= most)
    return (
      <pre class="exact" role="group" tabIndex={0} aria-label={label}>
        <Shown text={text} />
      </pre>
    )
  return (
    <VirtualRows
      class="exact exact-long"
      count={lines.length}
      rowHeight={20}
      attributes={() => ({ role: 'group', 'aria-label': label, tabIndex: 0 })}
      row={(at, place) => (
        <div key={at} class="exact-line" style={place}>
          <Shown text={lines[at] ?? ''} />
        </div>
      )}
    />
  )
}

/** Text with its hidden characters as escapes. */
export function Shown({ text }: { readonly text: string }) {
  return (
    <>
      {showHidden(text).map(({ text: part, isEscape }) =>
        isEscape ? <mark class="escape">{part}</mark> : part,
      )}
    </>
  )
}
