/**
 * Normalizes a program name: without folder, case and `.exe`. Use it to find what must be refused or inspected, never to
 * allow something.
 */
export function programOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  return base.endsWith('.exe') || base.endsWith('.com') ? base.slice(0, -4) : base
}

/** The name used for allowing. In system folders, the plain name finds the same program; any other path is another program. */
export function nameForAllowlist(name: string): string {
  return /^\/(?:usr\/)?s?bin\/([^/]+)$/.exec(name)?.[1] ?? name
}
