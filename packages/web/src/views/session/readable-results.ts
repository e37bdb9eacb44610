/** Shows reports of subagents in a message without the tags that mark them for the model. */
export function readableResults(text: string): string {
  return text.replace(
    /<subagent_result((?: \w+="(?:[^"\\]|\\.)*")*)>\n([\s\S]*?)\n<\/subagent_result>/g,
    (_, attributes: string, content: string) => {
      const named = new Map(
        [...attributes.matchAll(/ (\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, name, value]) => [name, value]),
      )
      const attribute = (name: string) => textOf(named.get(name))
      const body = content.replaceAll('<\\/subagent_result', '</subagent_result')
      return `**Report of ${attribute('agent_type')}** (${attribute('agent_id')}, ${attribute('status')})\n\n${body}`
    },
  )
}

function textOf(quoted = '""'): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
