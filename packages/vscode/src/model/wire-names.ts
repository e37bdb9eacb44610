const accepted = /^[A-Za-z0-9_-]{1,64}$/

/** Maps tool names to the names on the wire, and back. */
export interface WireNames {
  /** The wire name of a tool, offered or only called earlier. */
  toWire(name: string): string
  /** The tool that a model called. */
  fromWire(name: string): string
}

/** Services accept up to 64 letters, digits, hyphens and underscores. Other names are replaced. */
export function wireNames(offered: readonly string[]): WireNames {
  const wire = new Map<string, string>()
  const taken = new Map<string, string>()
  for (const name of offered.toSorted((a, b) => Number(accepted.test(b)) - Number(accepted.test(a)))) {
    let fitting = fit(name)
    for (let n = 2; taken.has(fitting); n++) fitting = `${fit(name).slice(0, 60)}_${n}`
    wire.set(name, fitting)
    taken.set(fitting, name)
  }
  return {
    toWire: (name) => wire.get(name) ?? fit(name),
    fromWire: (name) => taken.get(name) ?? name,
  }
}

function fit(name: string): string {
  if (accepted.test(name)) return name
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed'
}
