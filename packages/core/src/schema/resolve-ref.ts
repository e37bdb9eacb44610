/** The schema that a local reference points to: `#`, `#/$defs/name`. Undefined if there is none. */
export function resolveRef(root: unknown, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let found: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const key = decodePart(part)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as { readonly [key: string]: unknown })[key]
  }
  return found
}

function decodePart(part: string): string {
  let text = part
  try {
    text = decodeURIComponent(part)
  } catch {
    // Not URI-encoded: use the name as written.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
