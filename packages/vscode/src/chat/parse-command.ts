/** `/handoff NAME what to do`, where a name with spaces stands in quotes. */
export function parseHandoff(text: string): { readonly agent: string; readonly prompt: string } | undefined {
  const written = text.trim()
  const quoted = /^"([^"]+)"\s*([\s\S]*)$/.exec(written)
  const [, agent = '', prompt = ''] = quoted ?? /^(\S+)\s*([\s\S]*)$/.exec(written) ?? []
  return agent === '' ? undefined : { agent, prompt: prompt.trim() }
}

/** What is typed into the chat to hand over. */
export function handoffQuery(agent: string, prompt: string): string {
  const name = /^[^\s"]+$/.test(agent) ? agent : `"${agent.replaceAll('"', '')}"`
  return `@agents /handoff ${name} ${prompt}`.trimEnd()
}

/** What is typed into the chat to continue a session. */
export function resumeQuery(session: string): string {
  return `@agents /approve ${session}`
}
