import { classOf, interpretToolName, knownTools, restrictsOtherEdits, type ToolClass } from '@cadre/core'

/** True if a name grants nothing beyond these names. */
export function grantsNoMoreThan(name: string, names: readonly string[]): boolean {
  if (names.includes(name)) return true
  const meaning = interpretToolName(name)
  const others = names.map(interpretToolName)
  if (others.some(({ kind }) => kind === 'all')) return true
  switch (meaning.kind) {
    case 'class':
      return others.some((other) => other.kind === 'class' && other.class === meaning.class)
    case 'tools':
      return meaning.names.every((tool) => names.some((other) => grantsTool(other, tool)))
    case 'server':
      return others.some(
        (other) =>
          other.kind === 'server' &&
          other.server === meaning.server &&
          (other.tool === undefined || other.tool === meaning.tool),
      )
    // Cadre has no tool with this name.
    case 'elsewhere':
      return true
    default:
      return false
  }
}

/**
 * Returns the tools that a class grants beyond these names, if some of its tools are among them; `undefined` for every
 * other name.
 */
export function extraTools(name: string, names: readonly string[]): readonly string[] | undefined {
  const meaning = interpretToolName(name)
  if (meaning.kind !== 'class') return undefined
  const ofClass = ownNames().filter((tool) => classOf(tool) === meaning.class)
  const more = ofClass.filter((tool) => !names.some((other) => grantsTool(other, tool)))
  return more.length < ofClass.length ? more : undefined
}

/** True if these names cover everything that a name means. The tools of a class are never all known. */
export function isCoveredByNames(name: string, by: readonly string[]): boolean {
  if (by.includes(name)) return true
  const meaning = interpretToolName(name)
  if (meaning.kind === 'tools')
    return meaning.names.every((tool) => by.some((other) => grantsTool(other, tool)))
  return meaning.kind === 'server' && by.length > 0 && grantsNoMoreThan(name, by)
}

/** The same if the names are in restrictions, which cover more. */
export function isRestrictedByNames(name: string, by: readonly string[]): boolean {
  const coversOthers = (other: string) => restrictsOtherEdits(other) || isClass(other, 'edit')
  return isCoveredByNames(name, by) && (!restrictsOtherEdits(name) || by.some(coversOthers))
}

function grantsTool(name: string, tool: string): boolean {
  const meaning = interpretToolName(name)
  if (meaning.kind === 'class') return classOf(tool) === meaning.class
  return meaning.kind === 'all' || (meaning.kind === 'tools' && meaning.names.includes(tool))
}

function isClass(name: string, wanted: ToolClass): boolean {
  const meaning = interpretToolName(name)
  return meaning.kind === 'class' && meaning.class === wanted
}

function ownNames(): readonly string[] {
  return [...new Set(knownTools())].filter((name) => classOf(name) !== undefined)
}
