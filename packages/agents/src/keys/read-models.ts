import type { HeaderReader } from './header-reader.ts'

/** Models in order of preference. `inherit` alone is the default; after others, it is the fallback. */
export function readModels(header: HeaderReader): readonly string[] | undefined {
  const field = header.take('model')
  if (field === undefined || field.value === null) return undefined
  const values = field.items === undefined ? [field.value] : field.items.map((item) => item.value)
  const isBroken = field.isLoose === true && /^[[{]/.test(String(field.value))
  const names = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  if (isBroken || names.length < values.length)
    header.report(
      'warning',
      'model-unclear',
      field.line,
      `model must be a name or a list of names, not ${JSON.stringify(field.value).slice(0, 80)}. Cadre ignores values that are not names.`,
      'Write model: NAME.',
    )
  const models = (isBroken ? [] : names).map((name) => String(name).trim()).filter((name) => name !== '')
  return models.length === 0 || models[0] === 'inherit' ? undefined : models
}
