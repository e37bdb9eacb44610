import { matchModel } from '@cadre/core'

/** The names of a model: in the settings, in agent files, and in VS Code's list of models. */
export interface NamedModel {
  readonly vendor: string
  readonly id: string
  readonly name: string
  readonly family: string
}

/** Ways to name a model, most specific first. */
const nameForms: readonly ((model: NamedModel) => string)[] = [
  ({ vendor, id }) => `${vendor}/${id}`,
  ({ id }) => id,
  ({ name }) => name,
  ({ family }) => family,
]

/**
 * Finds a model by name: `GPT-5 (copilot)`, `copilot/gpt-5`, an id, a name or a family. If several vendors have it, the
 * vendor in parentheses decides, then `preferred`, then the first. Undefined if there is no match.
 */
export function findModel<Model extends NamedModel>(
  wanted: string,
  models: readonly Model[],
  preferred?: string,
): Model | undefined {
  const { name, vendor } = splitVendor(wanted, models)
  const candidates = vendor === undefined ? models : models.filter((model) => hasVendor(vendor, model))
  for (const nameForm of nameForms) {
    const called = matchModel(name, candidates.map(nameForm))
    if (called === undefined) continue
    const found = candidates.filter((model) => nameForm(model) === called)
    return found.find((model) => preferred !== undefined && hasVendor(preferred, model)) ?? found[0]
  }
  return undefined
}

/** `Name (vendor)`, if there is such a vendor: other words in parentheses are part of the name. */
function splitVendor(
  wanted: string,
  models: readonly NamedModel[],
): { readonly name: string; readonly vendor?: string } {
  const [, name, vendor] = /^(.*\S)\s*\(([^()]+)\)\s*$/s.exec(wanted) ?? []
  if (name === undefined || vendor === undefined) return { name: wanted }
  return models.some((model) => hasVendor(vendor, model)) ? { name, vendor } : { name: wanted }
}

function hasVendor(vendor: string, model: NamedModel): boolean {
  return model.vendor.toLowerCase() === vendor.toLowerCase()
}
