/** The provider and the model, from a name such as `openai:gpt-5`. */
export interface ModelName {
  readonly provider: string
  readonly model: string
}

/** Providers that the GenAI conventions name otherwise than Cadre's prefixes do. */
const providers: { readonly [prefix: string]: string } = {
  'copilot-ls': 'github',
  'copilot-sdk': 'github',
  responses: 'openai',
}

export function modelName(id: string): ModelName {
  const colon = id.indexOf(':')
  if (colon < 0) return { provider: 'unknown', model: id }
  const prefix = id.slice(0, colon)
  const name = id.slice(colon + 1)
  return { provider: providers[prefix] ?? prefix, model: withoutPath(prefix, name) }
}

/** A scripted model is a path on this machine, and an agent program can be a command line. */
function withoutPath(prefix: string, name: string): string {
  if (prefix === 'acp' && /^["'/]|\s/.test(name)) return 'command'
  return prefix === 'scripted' ? name.replace(/^.*[\\/]/, '') : name
}
