/** One change in a file: the old lines and the new lines. */
export interface Hunk {
  /** Lines before the change, in order: a class, then a method. */
  readonly anchors: readonly string[]
  readonly old: readonly string[]
  readonly new: readonly string[]
  readonly atEnd: boolean
}

export type FilePatch =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly moveTo?: string
      readonly hunks: readonly Hunk[]
    }

export type ParsedPatch = { readonly files: readonly FilePatch[] } | { readonly fault: string }

/** Parses the `*** Begin Patch` format. Anything ambiguous is an error, because a guess could change the wrong lines. */
export function parsePatch(patch: string): ParsedPatch {
  const lines = patch.replaceAll('\r\n', '\n').trim().split('\n')
  if (lines[0]?.trim() !== '*** Begin Patch') {
    return {
      fault:
        'must begin with the line "*** Begin Patch". Other patch formats are not supported: use path, old and new instead',
    }
  }
  if (lines.at(-1)?.trim() !== '*** End Patch') return { fault: 'must end with the line "*** End Patch"' }
  const files: FilePatch[] = []
  let at = 1
  const end = lines.length - 1
  while (at < end) {
    const line = lines[at] as string
    const head = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(line.trimEnd())
    if (head === null) {
      if (line.trim() === '') {
        at++
        continue
      }
      return {
        fault: `line ${at + 1} must name a file: "*** Add File: ", "*** Update File: " or "*** Delete File: " and its path`,
      }
    }
    const path = (head[2] as string).trim()
    let next = at + 1
    while (next < end && !/^\*\*\* (Add|Delete|Update) File: /.test(lines[next] as string)) next++
    const read = readFile(head[1] as string, path, lines.slice(at + 1, next), at + 2)
    if ('fault' in read) return read
    files.push(read)
    at = next
  }
  if (files.length === 0) return { fault: 'does not name a file' }
  const names = files.flatMap((file) =>
    'moveTo' in file && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path],
  )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined
    ? { files }
    : { fault: `names ${twice} twice. Put all its changes into one section` }
}

function readFile(
  kind: string,
  path: string,
  body: readonly string[],
  first: number,
): FilePatch | { readonly fault: string } {
  if (kind === 'Delete') {
    const extra = body.findIndex((line) => line.trim() !== '')
    return extra === -1
      ? { kind: 'delete', path }
      : { fault: `line ${first + extra} must not be there: nothing can follow "*** Delete File"` }
  }
  if (kind === 'Add') {
    const lines = trimmedEnd(body)
    const wrong = lines.findIndex((line) => !line.startsWith('+'))
    if (wrong !== -1) return { fault: `line ${first + wrong} of a new file must begin with +` }
    return { kind: 'add', path, content: lines.map((line) => `${line.slice(1)}\n`).join('') }
  }
  const move = /^\*\*\* Move to: (.+)$/.exec(body[0]?.trimEnd() ?? '')
  const rest = move === null ? body : body.slice(1)
  const hunks = readHunks(trimmedEnd(rest), move === null ? first : first + 1)
  if ('fault' in hunks) return hunks
  if (hunks.length === 0 && move === null) return { fault: `does not change anything in ${path}` }
  return { kind: 'update', path, hunks, ...(move !== null && { moveTo: (move[1] as string).trim() }) }
}

function readHunks(lines: readonly string[], first: number): Hunk[] | { readonly fault: string } {
  const hunks: Hunk[] = []
  let hunk = emptyHunk()
  const close = () => {
    if (hunk.old.length > 0 || hunk.new.length > 0) hunks.push(hunk)
    hunk = emptyHunk()
  }
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('@@')) {
      if (hunk.old.length > 0 || hunk.new.length > 0) close()
      const anchor = line.slice(2).trim()
      // `@@ -1,3 +1,4 @@` is from another format; models often get its numbers wrong.
      if (anchor !== '' && !/^-\d+(,\d+)? \+\d+(,\d+)? @@/.test(anchor)) hunk.anchors.push(anchor)
    } else if (line.trimEnd() === '*** End of File') {
      hunk.atEnd = true
      close()
    } else if (line.startsWith('+')) hunk.new.push(line.slice(1))
    else if (line.startsWith('-')) hunk.old.push(line.slice(1))
    else if (line.startsWith(' ') || line === '') {
      hunk.old.push(line.slice(1))
      hunk.new.push(line.slice(1))
    } else return { fault: `line ${first + index} must begin with a space, + or -, or with @@` }
  }
  close()
  return hunks
}

function emptyHunk() {
  return { anchors: [] as string[], old: [] as string[], new: [] as string[], atEnd: false }
}

/** Blank lines between two files are ignored. */
function trimmedEnd(lines: readonly string[]): readonly string[] {
  let end = lines.length
  while (end > 0 && lines[end - 1] === '') end--
  return lines.slice(0, end)
}
