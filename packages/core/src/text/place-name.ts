/** What the names of the parts of a place end with, at the server. */
const placeParts = ['messages', 'index', 'blobs', 'directory', 'ledger'] as const

/**
 * The server rejects other names, and names that start with `restate`. A place `office-messages` would have the same name at the server as
 * the messages of place `office`.
 */
export const placeNamePattern = new RegExp(
  `^(?!.*-(?:${placeParts.join('|')})$)[a-z0-9][a-z0-9-]{0,62}$`,
  'i',
)

/** Completes the sentence "The name must be …". */
export const placeNameRule = `a name of up to 63 letters, digits and hyphens, such as office, that does not end with ${placeParts
  .slice(0, -1)
  .map((part) => `-${part}`)
  .join(', ')} or -${placeParts.at(-1)}`
