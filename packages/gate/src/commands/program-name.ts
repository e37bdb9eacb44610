/**
 * The program that a name stands for, however it is spelt: without folder, case and `.exe`. For finding what must be
 * refused or looked into; never for allowing something.
 */
export function programOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  return base.endsWith('.exe') || base.endsWith('.com') ? base.slice(0, -4) : base
}

/**
 * The name for allowing. The folders of the system hold what the plain name would find there anyway; any other path is
 * another program.
 */
export function listedName(name: string): string {
  return /^\/(?:usr\/)?s?bin\/([^/]+)$/.exec(name)?.[1] ?? name
}
