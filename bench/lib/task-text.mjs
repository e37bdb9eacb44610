/** `count` typical tasks: in sections, some nested, some with text of several lines. */
export function taskText(count) {
  const lines = ['# Everything', '']
  for (let i = 0; i < count; i++) {
    if (i % 50 === 0) lines.push(`## Part ${i / 50}`, '')
    const indent = i % 10 === 9 ? '  ' : ''
    const marker = ['x', ' ', ' ', '-', '~'][i % 5]
    const who = ['@researcher', '@builder', '@human'][i % 3]
    lines.push(
      `${indent}- [${marker}] ${'ABCD'[i % 4]} ${who} #area-${i % 7} "Look after part ${i} of the system"`,
    )
    lines.push(`${indent}  id: ${taskId(i)}`, `${indent}  created: 2026-11-01T10:00:00Z`)
    if (i % 5 === 0) lines.push(`${indent}  completed: 2026-11-02T10:00:00Z`)
    if (i % 7 === 0 && i > 0) lines.push(`${indent}  depends_on: ${taskId(i - 1)}`)
    if (i % 4 === 0)
      lines.push(
        `${indent}  description: |`,
        `${indent}    What is to be done about part ${i},`,
        `${indent}    and how it is known to be done.`,
      )
  }
  return `${lines.join('\n')}\n`
}

export const taskId = (i) => `task-${i.toString(16).padStart(8, '0')}`

/** A different text, changed at its start and end, with one more task. */
export const otherText = (text, i) => `# Text ${i}\n${text}- [ ] "Another ${i}"\n`
