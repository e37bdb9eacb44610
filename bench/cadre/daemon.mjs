import fs from 'node:fs'
import { createInterface } from 'node:readline'

/** The real daemon on a home, for lib/home-work.mjs. */
export function startDaemon(place) {
  const child = place.cadre('up', ['--json'])
  const lines = createInterface(child.stdout)
  const ready = new Promise((resolve) => {
    lines.on('line', (line) => line.includes('"daemon.ready"') && resolve())
  })
  return { child, ready, isDone }
}

/** The request was answered and recorded. */
function isDone(kind, file, before = '') {
  const text = fs.readFileSync(file, 'utf8')
  if (kind === 'task') return !/^- \[[ _~]\]/m.test(text)
  return /^status: completed/m.test(text) && count(text) > count(before)
}

function count(text) {
  return text.split('type: session.ended').length
}
