interface Flag {
  readonly kind: string
  readonly placeholder?: string
  readonly values?: readonly string[]
}

const row = /^( +(?:-\w +)?)(\[?--[\w-]*(?:\.\.\.)?\]?(?:\.\.\.)?)( {2,})(\S.*)$/

/** Returns the help with the placeholders of flag values, which the parser omits. */
export function withFlagValues(help: string, flags: Readonly<Record<string, Flag>>): string {
  const values = new Map(Object.entries(flags).map(([name, flag]) => [kebab(name), placeholderOf(flag)]))
  const lines = help.split('\n')
  const rows = lines.map((line) => {
    const [, before = '', name = '', , brief = ''] = row.exec(line) ?? []
    if (name === '') return undefined
    const value = values.get(/--([\w-]*)/.exec(name)?.[1] ?? '')
    return { before, name: value === undefined ? name : name.replace(/(--[\w-]+)/, `$1 ${value}`), brief }
  })
  const width = Math.max(
    0,
    ...rows.map((one) => (one === undefined ? 0 : one.before.length + one.name.length)),
  )
  return lines
    .map((line, index) => {
      const one = rows[index]
      return one === undefined ? line : `${(one.before + one.name).padEnd(width)}  ${one.brief}`
    })
    .join('\n')
}

function placeholderOf({ kind, placeholder }: Flag): string | undefined {
  if (kind === 'boolean' || kind === 'counter') return undefined
  return placeholder ?? (kind === 'enum' ? 'KIND' : 'VALUE')
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
