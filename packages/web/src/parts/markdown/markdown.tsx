import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Boundary } from '../boundary.tsx'

type Reader = typeof import('./markdown-nodes.ts')['markdownNodes']

let reader: Reader | undefined

/** Longer texts are shown as plain text, because nobody reads them as prose. */
const longest = 200_000

/** A model's text as a formatted document. Plain text until the parser is loaded, or if parsing fails. */
export function Markdown({ text }: { readonly text: string }) {
  const version = useSignal(0)
  useEffect(() => {
    if (reader !== undefined) return
    import('./markdown-nodes.ts').then((module) => {
      reader = module.markdownNodes
      version.value += 1
    }, console.warn)
  }, [])
  const nodes = useMemo(() => read(text), [text, version.value])
  const plain = <div class="prose plain">{text}</div>
  return nodes === undefined ? (
    plain
  ) : (
    // Rendering can fail even if parsing did not, for example if text is nested too deeply.
    <Boundary fallback={() => plain}>
      <div class="prose">{nodes}</div>
    </Boundary>
  )
}

function read(text: string) {
  if (reader === undefined || text.length > longest) return undefined
  try {
    return reader(text)
  } catch {
    return undefined
  }
}
