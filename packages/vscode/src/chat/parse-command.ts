/** `/handoff NAME what to do`; a name with spaces is in quotes. */
export function parseHandoff(text: string): { readonly agent: string; readonly prompt: string } | undefined {
  const written = text.trim()
  const quoted = /^"([^"]+)"\s*([\s\S]*)$/.exec(written)
  const [, agent = '', prompt = ''] = quoted ?? /^(\S+)\s*([\s\S]*)$/.exec(written) ?? []
  return agent === '' ? undefined : { agent, prompt: prompt.trim() }
}

/** The chat input for a handoff. */
export function handoffQuery(agent: string, prompt: string): string {
  const name = /^[^\s"]+$/.test(agent) ? agent : `"${agent.replaceAll('"', '')}"`
  return `@agents /handoff ${name} ${prompt}`.trimEnd()
}

/** The chat input for continuing a session. */
export function resumeQuery(session: string): string {
  return `@agents /approve ${session}`
}
