import { type FolderItem, shownLine } from '@cadre/gate'

type Item = Pick<FolderItem, 'file' | 'line' | 'what'>

/** There are about a dozen kinds, and all of them must fit on a screen. */
const maxPerKind = 2
const defaultDescriptionLength = 150
const defaultPathLength = 80

export interface TrustText {
  /** For a dialog: every kind of item, with some of its files. */
  readonly short: string
  /** Every file, and what it does. */
  readonly whole: string
  readonly isShortened: boolean
}

/**
 * Describes what a person trusts. The effect of a file comes first, and every kind is included, so that none can be hidden
 * behind many files or long names.
 */
export function trustText(items: readonly Item[]): TrustText {
  const kinds = new Map<string, Item[]>()
  for (const item of items) kinds.set(kindOf(item), [...(kinds.get(kindOf(item)) ?? []), item])
  const short = [...kinds.values()].flatMap((ofKind) => {
    const lines = ofKind
      .slice(0, maxPerKind)
      .map((item) => `• ${lineOf(item, defaultDescriptionLength, defaultPathLength)}`)
    const more = ofKind.length - lines.length
    return more > 0 ? [...lines, `   … and ${more} more of this kind`] : lines
  })
  const whole = [...kinds.values()].flat().map((item) => lineOf(item))
  return {
    short: short.join('\n'),
    whole: whole.join('\n'),
    isShortened: short.join('\n') !== whole.map((line) => `• ${line}`).join('\n'),
  }
}

/** The first words are Cadre's own. Names follow them, and numbers differ. */
function kindOf({ what }: Item): string {
  return what.replaceAll(/\d+/g, '').trim().split(/\s+/).slice(0, 3).join(' ')
}

function lineOf({ what, file, line }: Item, maxDescriptionLength?: number, maxPathLength?: number): string {
  const place = line === undefined ? file : `${file}:${line}`
  const does = truncate(what, maxDescriptionLength)
  return `${does.charAt(0).toUpperCase()}${does.slice(1)} – ${truncate(place, maxPathLength)}`
}

/** Cuts the middle, because the start and the end are most useful. */
function truncate(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const signs = Array.from(shownLine(text))
  if (signs.length <= maxLength) return signs.join('')
  const half = Math.floor(maxLength / 2)
  return `${signs.slice(0, half).join('')}…${signs.slice(-half).join('')}`
}
