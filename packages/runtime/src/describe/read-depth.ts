import { CadreError } from '@cadre/core'

/** The position of an agent in a tree: its depth below an entry session, or the agents above it, from the entry agent down. */
export type Depth =
  | { readonly kind: 'levels'; readonly levels: number }
  | { readonly kind: 'below'; readonly names: readonly string[] }

/** Parses `2`, `lead>builder`, `lead,builder` or `lead/builder`. Throws if a name is empty. */
export function readDepth(text: string): Depth {
  if (/^\s*\d{1,3}\s*$/.test(text)) return { kind: 'levels', levels: Number(text) }
  // Agent names may contain a slash, so it separates names only if there is no other separator.
  const names = text.split(/[>→,]/.test(text) ? /[>→,]/ : '/').map((name) => name.trim())
  if (names.every((name) => name !== '')) return { kind: 'below', names }
  throw new CadreError(
    'usage',
    `invalid depth ${JSON.stringify(text)}: a name is missing. List the agents from the top down, for example lead>builder, or enter a number.`,
  )
}
