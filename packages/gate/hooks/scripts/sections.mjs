// Finds headings of a report that have content below or after them: `## Verdict`, `**Verdict**`, `Verdict: PASS`.

/** Returns the headings that none of the texts has. */
export function missingSections(texts, headings) {
  const found = new Set(texts.flatMap((text) => [...sectionsIn(text, headings)]))
  return headings.filter((heading) => !found.has(plain(heading)))
}

/**
 * Returns the headings that have content. Lines that only look like a heading count as content, such as `PASS: all tests`
 * or `### Lint`.
 */
function sectionsIn(text, headings) {
  const wanted = new Set(headings.map(plain))
  const filled = new Set()
  let current
  let fence
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1]?.[0]
    if (mark !== undefined) fence = fence === undefined ? mark : mark === fence ? undefined : fence
    const heading = mark === undefined && fence === undefined ? headingOf(line) : undefined
    const name = heading === undefined ? undefined : plain(heading.name)
    if (heading !== undefined && wanted.has(name)) {
      current = { name, rank: heading.rank }
      if (heading.rest.trim() !== '') filled.add(name)
    } else if (
      current !== undefined &&
      heading !== undefined &&
      heading.rank < 7 &&
      heading.rank <= current.rank
    )
      current = undefined
    else if (current !== undefined && line.trim() !== '') filled.add(current.name)
  }
  return filled
}

/** Bold text and labels rank below every heading. */
function headingOf(line) {
  const hashed = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line)
  if (hashed !== null) {
    const [, name = hashed[2], rest = ''] = /^(.*?):\s+(.*)$/.exec(hashed[2]) ?? []
    return { name, rest, rank: hashed[1].length }
  }
  const labelled =
    /^\s*(?:[-*]\s+)?(?:\*\*|__)(.+?)(?:\*\*|__):?\s*(.*)$/.exec(line) ??
    /^([A-Z][A-Za-z ]{2,50}):\s*(.*)$/.exec(line)
  return labelled === null ? undefined : { name: labelled[1], rest: labelled[2], rank: 7 }
}

function plain(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[*_`:#]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
