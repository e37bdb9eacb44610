import { CadreError } from '@cadre/core'

/** Where an agent stands in a tree: how far below an entry session, or below whom, from the entry agent down. */
export type Depth =
  | { readonly kind: 'levels'; readonly levels: number }
  | { readonly kind: 'below'; readonly names: readonly string[] }

/** Reads `2`, `lead>builder`, `lead,builder` or `lead/builder`. Throws when a name is empty. */
export function readDepth(text: string): Depth {
  if (/^\s*\d{1,3}\s*$/.test(text)) return { kind: 'levels', levels: Number(text) }
  // A name of an agent may have a slash in it, so that only parts names where nothing else does.
  const names = text.split(/[>→,]/.test(text) ? /[>→,]/ : '/').map((name) => name.trim())
  if (names.every((name) => name !== '')) return { kind: 'below', names }
  throw new CadreError(
    'usage',
    `invalid depth ${JSON.stringify(text)}: a name is missing. Write the agents from the top down, such as lead>builder, or a number.`,
  )
}
