import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Shown } from './exact-text.tsx'
import { type PatchLine, patchLines } from './patch-lines.ts'
import { VirtualRows } from './virtual-rows.tsx'
import type { WordPart } from './word-changes.ts'

const marks: Readonly<Record<PatchLine['kind'], string>> = {
  file: '',
  hunk: '',
  added: '+',
  removed: '−',
  same: ' ',
  note: '',
}

/** Above this number of lines, only visible lines are rendered, without wrapping. */
const most = 1500

/** A complete patch. Hidden characters are shown as escapes, because a person may approve it. */
export function DiffView({ patch }: { readonly patch: string }) {
  const lines = useMemo(() => patchLines(patch), [patch])
  const digits = Math.max(
    2,
    ...lines.slice(-1).map(({ before = 0, after = 0 }) => String(before + after).length),
  )
  const style = { '--digits': `${digits}ch` }
  const words = useSignal<ReadonlyMap<number, readonly WordPart[]> | undefined>(undefined)
  useEffect(() => {
    words.value = undefined
    if (lines.length > most) return
    let isShown = true
    import('./word-changes.ts').then(({ wordChanges }) => {
      if (isShown) words.value = wordChanges(lines)
    }, console.warn)
    return () => {
      isShown = false
    }
  }, [lines])
  if (lines.length <= most)
    return (
      <div class="diff" role="group" aria-label="Change" tabIndex={0} style={style}>
        {lines.map((line, at) => (
          <DiffLine key={at} line={line} words={words.value?.get(at)} />
        ))}
      </div>
    )
  return (
    <VirtualRows
      class="diff diff-long"
      count={lines.length}
      rowHeight={20}
      attributes={() => ({ role: 'group', 'aria-label': 'Change', tabIndex: 0, style })}
      row={(at, place) => (
        <div key={at} class="diff-place" style={place}>
          <DiffLine line={lines[at] as PatchLine} words={undefined} />
        </div>
      )}
    />
  )
}

interface DiffLineProps {
  readonly line: PatchLine
  readonly words: readonly WordPart[] | undefined
}

function DiffLine({ line: { kind, text, before, after }, words }: DiffLineProps) {
  const isContent = kind === 'added' || kind === 'removed' || kind === 'same'
  return (
    <div class={`diff-line diff-${kind}`}>
      {isContent && (
        <>
          <span class="diff-number" aria-hidden="true">
            {before}
          </span>
          <span class="diff-number" aria-hidden="true">
            {after}
          </span>
          <span class="diff-mark">{marks[kind]}</span>
        </>
      )}
      <code>
        {words === undefined ? (
          <Shown text={text} />
        ) : (
          words.map(({ text: part, isChanged }, at) =>
            isChanged ? (
              <span key={at} class="diff-word">
                <Shown text={part} />
              </span>
            ) : (
              <Shown key={at} text={part} />
            ),
          )
        )}
      </code>
    </div>
  )
}
