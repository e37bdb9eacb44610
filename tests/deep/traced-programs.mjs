/** Finds programs in a trace that lines started although their plans do not name them. */
import path from 'node:path'

/** Programs that are scripts, or start their own helper programs. */
const parts = { egrep: ['grep'], fgrep: ['grep'], git: ['git'], which: [], npm: ['node', 'env'] }
const own = ['mkfifo']

export function unexpectedPrograms(trace, lines) {
  const found = []
  let at
  for (const [, file, words] of trace.matchAll(/^\d+ +execve\("([^"]*)", \[(.*?)\].*= 0$/gm)) {
    const mark = /"mark-(\w+)"/.exec(words)?.[1]
    if (mark !== undefined) {
      at = /^\d+$/.test(mark) ? Number(mark) : undefined
      continue
    }
    if (at === undefined) continue
    const names = lines[at].names.map((name) => path.basename(name))
    const known = new Set([...own, ...names, ...names.flatMap((name) => parts[name] ?? [])])
    if (!known.has(path.basename(file))) found.push({ at, program: `${file} [${words}]` })
  }
  return found
}
