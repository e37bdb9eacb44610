/** Error codes of an overloaded or full machine, for which no file and no request is at fault. */
const codes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'EIO', 'ENOMEM']

/** Returns the code of such an error, or of one in its chain of causes. The operation can be retried unchanged. */
export function systemErrorCode(error: unknown): string | undefined {
  const seen = new Set<unknown>()
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one)
    const { code } = one as NodeJS.ErrnoException
    if (code !== undefined && codes.includes(code)) return code
  }
  return undefined
}

/** Returns whether the process or the machine has run out of file descriptors. */
export function isOutOfFileDescriptors(error: unknown): boolean {
  const code = systemErrorCode(error)
  return code === 'EMFILE' || code === 'ENFILE'
}
