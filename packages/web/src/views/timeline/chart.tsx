import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { durationText } from '../../parts/format.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { StateMark, stateOf } from '../../parts/state-mark.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { navigate } from '../../shell/navigate.ts'
import type { FlatRow } from '../runs/flatten.ts'
import type { Segment } from './segments.ts'
import type { TimeScale } from './time-scale.ts'

export interface ChartProps {
  readonly lines: readonly FlatRow[]
  readonly bySession: ReadonlyMap<string, readonly Segment[]>
  readonly scale: TimeScale
  readonly path: ReadonlySet<string>
  readonly zoom: number
  readonly selected: number
  readonly onSelect: (index: number) => void
}

const rowHeight = 30

/** One line per session, which shows what it did and when. Only visible lines are rendered. */
export function Chart({ lines, bySession, scale, path, zoom, selected, onSelect }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(800)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const labels = Math.min(300, width.value * 0.36)
  const chart = Math.max(120, (width.value - labels - 24) * zoom)
  return (
    <div class="chart" ref={box} style={{ '--labels': `${labels}px`, '--chart': `${chart}px` }}>
      <p class="legend" aria-hidden="true">
        <span class="key-model">model</span>
        <span class="key-call">call</span>
        <span class="key-person">waiting for a person</span>
        <span class="key-path">critical path</span>
        <span class="key-fold">idle time, shortened</span>
      </p>
      <VirtualRows
        class="chart-rows"
        count={lines.length}
        rowHeight={rowHeight}
        selected={selected}
        attributes={({ from, to }) => ({
          role: 'listbox',
          'aria-label': 'Sessions over time',
          tabIndex: 0,
          'aria-activedescendant': selected >= from && selected < to ? `line-${selected}` : undefined,
        })}
        row={(index, style) => {
          const line = lines[index] as FlatRow
          return (
            <ChartLine
              key={line.cell.id}
              line={line}
              index={index}
              segments={bySession.get(line.cell.id) ?? []}
              scale={scale}
              path={path}
              width={chart}
              isSelected={index === selected}
              style={style}
              onSelect={() => onSelect(index)}
            />
          )
        }}
      />
    </div>
  )
}

interface ChartLineProps {
  readonly line: FlatRow
  readonly index: number
  readonly segments: readonly Segment[]
  readonly scale: TimeScale
  readonly path: ReadonlySet<string>
  readonly width: number
  readonly isSelected: boolean
  readonly style: { readonly transform: string; readonly height: string }
  readonly onSelect: () => void
}

function ChartLine({
  line,
  index,
  segments,
  scale,
  path,
  width,
  isSelected,
  style,
  onSelect,
}: ChartLineProps) {
  const { cell, level, siblings, position } = line
  const row = cell.row.value
  const x = (time: number) => scale.place(time) * width
  const [first, last] = [segments[0], segments.reduce((end, { to }) => Math.max(end, to), 0)]
  return (
    <div
      class="chart-line"
      role="option"
      id={`line-${index}`}
      aria-selected={isSelected}
      aria-setsize={siblings}
      aria-posinset={position}
      data-session={row.id}
      style={{ ...style, '--level': Math.min(level - 1, 12) }}
      onClick={onSelect}
      onDblClick={() => navigate('sessions', row.id)}
    >
      <span class="chart-label">
        <StateMark state={stateOf(row)} hideWord />
        <strong>{visibleLine(row.agent)}</strong> <span class="run-id">{row.id}</span>
      </span>
      <svg width={width} height={rowHeight} aria-hidden="true">
        {scale.folds.map((fold) => (
          <rect
            key={fold.from}
            class="fold"
            x={fold.place * width}
            y={0}
            width={fold.width * width}
            height={rowHeight}
          >
            <title>{durationText(fold.to - fold.from)} idle</title>
          </rect>
        ))}
        {first !== undefined && (
          <line class="life" x1={x(first.from)} x2={x(last)} y1={rowHeight / 2} y2={rowHeight / 2} />
        )}
        {segments.map((segment) => (
          <Bar
            key={segment.id}
            segment={segment}
            from={x(segment.from)}
            to={x(segment.to)}
            isOnPath={path.has(segment.id)}
          />
        ))}
      </svg>
    </div>
  )
}

interface BarProps {
  readonly segment: Segment
  readonly from: number
  readonly to: number
  readonly isOnPath: boolean
}

const places = { model: [11, 8], call: [7, 15], person: [11, 8] } as const

function Bar({
  segment: { kind, label, status, isOpen, from: began, to: ended },
  from,
  to,
  isOnPath,
}: BarProps) {
  const [top, height] = places[kind]
  const width = Math.max(2, to - from)
  return (
    <g class={`bar-${kind} ${status === undefined ? '' : `bar-${status}`} ${isOpen ? 'bar-open' : ''}`}>
      <rect x={from} y={top} width={width} height={height} rx={2}>
        <title>
          {label} · {durationText(ended - began)}
          {status !== undefined && ` · ${status}`}
          {isOnPath && ' · on the critical path'}
        </title>
      </rect>
      {isOnPath && <rect class="path" x={from} y={rowHeight - 4} width={width} height={3} />}
    </g>
  )
}
