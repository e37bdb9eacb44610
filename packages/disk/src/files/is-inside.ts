import path from 'node:path'

/** Whether a path lies below a folder, or is that folder. By the letters alone: who minds links resolves them before. */
export function isInside(folder: string, target: string): boolean {
  const relative = path.relative(folder, target)
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
  )
}
