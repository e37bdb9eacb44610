/** What a machine says when it can do no more for now, whoever asks: no file and no request is at fault. */
const codes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'EIO', 'ENOMEM']

/** The code of such an error, wherever it is in what it was wrapped into. Whatever failed with it can be tried again as it was. */
export function systemTrouble(error: unknown): string | undefined {
  const seen = new Set<unknown>()
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one)
    const { code } = one as NodeJS.ErrnoException
    if (code !== undefined && codes.includes(code)) return code
  }
  return undefined
}

/** Whether the process, or the whole machine, has as many files open as it may. */
export function isOutOfFiles(error: unknown): boolean {
  const code = systemTrouble(error)
  return code === 'EMFILE' || code === 'ENFILE'
}
