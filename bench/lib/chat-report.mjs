import { atMost, judge } from './judge.mjs'
import { findRow } from './summary.mjs'

const rowOf = (rows, kind) => findRow(rows, { kind, mode: 'chat' })

export function judgeChat(rows) {
  const percent = rowOf(rows, 'cadre')?.corePercent
  const aim = 'CPU of `cadre chat` at 200 tokens a second'
  return judge(aim, '≤ 15 % of a core', percent, atMost(15), (value) => `${value.toFixed(1)} %`)
}

export function chatTable(rows, table) {
  const found = rows.filter(({ mode }) => mode === 'chat')
  if (found.length === 0) return ''
  const bare = rowOf(rows, 'bare')
  const body = found.map((row) => {
    if (row.runs === 0) return [row.program, 'failed']
    const share = `${row.corePercent.toFixed(1)} %`
    const isCompared = row.kind !== 'bare' && bare
    const times = isCompared ? ` (${(row.corePercent / bare.corePercent).toFixed(2)} ×)` : ''
    return [row.program, `${share}${times}`, Math.round(row.delayMs)]
  })
  const header = ['program', 'share of a core', 'token to screen, ms']
  return `### Chat: a reply of 2,000 tokens of Markdown at 200 a second, in a terminal\n\n${table(header, body)}`
}
