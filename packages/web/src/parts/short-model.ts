/** A model's name for a narrow column: the provider and the last part of the path, such as "scripted:…/playbook.yaml". */
export function shortModel(model: string): string {
  const provider = /^[^/:]*:/.exec(model)?.[0] ?? ''
  const parts = model.slice(provider.length).split('/')
  const last = parts.at(-1) ?? ''
  return parts.length === 1 || last === '' ? model : `${provider}…/${last}`
}
