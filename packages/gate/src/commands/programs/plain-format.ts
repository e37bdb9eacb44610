/** A format of git that starts no program: signatures are checked by gpg. */
export function isPlainFormat(text: string): boolean {
  return !/%[-+ ]*(?:\([^)]*signature|G)/i.test(text)
}
