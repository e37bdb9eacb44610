import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface VirtualRowsProps {
  readonly count: number
  /** The height of every row, in pixels. */
  readonly rowHeight: number
  /** Renders one row. Its element must have `style={style}`. */
  readonly row: (
    index: number,
    style: { readonly transform: string; readonly height: string },
  ) => ComponentChildren
  /** Scrolled into view when it changes. */
  readonly selected?: number
  readonly class?: string
  /** The scrolled element's attributes, such as its role. `drawn` is the range of rows in the document. */
  readonly attributes?: (drawn: { readonly from: number; readonly to: number }) => Record<string, unknown>
  /** Called when the person scrolls near the last row. */
  readonly onEnd?: () => void
  /** A row of headings that stays at the top, and its height in pixels. */
  readonly head?: { readonly height: number; readonly row: ComponentChildren }
}

/** The number of extra rows around the visible ones, so that scrolling does not show gaps. */
const beyond = 8

/** Renders only the visible rows, so that ten thousand rows are as fast as fifty. */
export function VirtualRows(props: VirtualRowsProps) {
  const { count, rowHeight, row, selected, attributes, onEnd, head } = props
  const headHeight = head?.height ?? 0
  const element = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(600)
  useLayoutEffect(() => {
    const scrolled = element.current
    if (scrolled === null) return
    const measure = () => {
      height.value = scrolled.clientHeight
    }
    const observer = new ResizeObserver(measure)
    observer.observe(scrolled)
    measure()
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const scrolled = element.current
    if (scrolled === null || selected === undefined || selected < 0) return
    const at = selected * rowHeight
    if (at < scrolled.scrollTop) scrolled.scrollTop = at
    else if (at + rowHeight > scrolled.scrollTop + scrolled.clientHeight - headHeight)
      scrolled.scrollTop = at + rowHeight - scrolled.clientHeight + headHeight
  }, [selected, rowHeight, headHeight])
  const from = Math.max(0, Math.floor(top.value / rowHeight) - beyond)
  const to = Math.min(count, Math.ceil((top.value + height.value) / rowHeight) + beyond)
  const drawn = []
  for (let index = from; index < to; index++)
    drawn.push(row(index, { transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }))
  return (
    <div
      ref={element}
      class={`virtual ${props.class ?? ''}`}
      onScroll={(event) => {
        const { scrollTop, clientHeight } = event.currentTarget
        top.value = scrollTop
        // Does not use `to`, which is the value before the scroll: a jump to the end is a single event.
        if (onEnd !== undefined && (scrollTop + clientHeight) / rowHeight >= count - beyond) onEnd()
      }}
      {...attributes?.({ from, to })}
    >
      {head?.row}
      <div role="none" class="virtual-space" style={{ height: `${count * rowHeight}px` }}>
        {drawn}
      </div>
    </div>
  )
}
