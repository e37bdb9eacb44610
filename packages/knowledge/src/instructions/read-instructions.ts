import { realpathSync } from 'node:fs'
import path from 'node:path'
import { type Diagnostic, isInside, readWithin } from '@cadre/disk'
import { type KnowledgePlaces, type LeavingImports, shownAs } from '../places.ts'
import { plainText } from '../plain-text.ts'
import { type Import, importsIn } from './imports-in.ts'
import type { InstructionFile } from './instruction-file.ts'

/** How many files deep imports are followed, as in Claude Code. */
const deepest = 5
const mostImports = 100

export interface ReadRequest {
  readonly file: string
  /** Links and imports that lead out of it are not followed; absent for files of the user. */
  readonly root?: string
  readonly importedBy?: string
}

/** Reads instructions, each file once, with the files they import after them. Never throws. */
export class InstructionReader {
  readonly diagnostics: Diagnostic[] = []
  /** Imports of the folder's files that lead out of it. */
  readonly leaving: LeavingImports[] = []
  readonly #places: KnowledgePlaces
  readonly #seen = new Set<string>()
  #left = mostImports

  constructor(places: KnowledgePlaces) {
    this.#places = places
  }

  /** Nothing if the file is not there, was read before, or may not be read. */
  read(request: ReadRequest, depth = 0): InstructionFile[] {
    const { file, root, importedBy } = request
    const content = readWithin(root ?? path.parse(file).root, file)
    if (content.kind === 'unusable')
      this.#report(file, 'instructions-unreadable', `Not read: ${content.reason}.`)
    if (content.kind !== 'read') return []
    const real = realpathSync(file)
    // An import may name an image.
    if (this.#seen.has(real) || content.text.includes('\0')) return []
    this.#seen.add(real)
    if (this.#places.isHidden?.(real)) {
      this.#report(file, 'instructions-denied', 'Not read: a rule denies agents to read this file.')
      return []
    }
    const { text, hidden } = plainText(content.text)
    if (hidden > 0) this.#report(file, 'hidden-characters', `Removed ${hidden} invisible characters.`)
    const own: InstructionFile = {
      real,
      shown: shownAs(file, this.#places),
      text: /(?:^|[\\/])CLAUDE(?:\.local)?\.md$/i.test(file) ? withoutComments(text) : text,
      ...(importedBy !== undefined && { importedBy }),
      ...(root === undefined && { isOwn: true as const }),
    }
    return [own, ...this.#importsOf(request, text, depth)]
  }

  #importsOf({ file, root }: ReadRequest, text: string, depth: number): InstructionFile[] {
    const imports = importsIn(text).map((found) => ({ ...found, at: this.#placeOf(file, found.target) }))
    const leaves = ({ at }: { readonly at: string }) => root !== undefined && !isInside(root, at)
    // What follows an @ is often a name, not a file.
    const leaving = imports.filter((one) => leaves(one) && /^[~/.]/.test(one.target))
    const mayLeave = leaving.length > 0 && root !== undefined && this.#mayLeave(file, root, leaving)
    return imports.flatMap((one) => {
      const { target, line, at } = one
      const refuse = (code: string, why: string) => {
        this.#report(file, code, `@${target} is not followed: ${why}.`, line)
        return []
      }
      if (leaves(one)) {
        if (!leaving.includes(one)) return []
        if (!mayLeave) return refuse('import-outside', 'it points outside this folder, which needs trust')
        if (!/\.(?:md|mdx|mdc|txt)$/i.test(at))
          return refuse('import-outside', 'outside this folder, only Markdown and text files are read')
      }
      if (depth >= deepest) return refuse('import-limit', `imports go at most ${deepest} files deep`)
      if (this.#left-- <= 0) return refuse('import-limit', `there are more than ${mostImports} imports`)
      const importedBy = `${shownAs(file, this.#places)}:${line}`
      const within = root !== undefined && !leaves(one) ? { root } : {}
      return this.read({ file: at, importedBy, ...within }, depth + 1)
    })
  }

  #placeOf(file: string, target: string): string {
    return /^~(?=\/|$)/.test(target)
      ? path.join(this.#places.userHome, target.slice(1))
      : path.resolve(path.dirname(file), target)
  }

  #mayLeave(file: string, root: string, imports: readonly Import[]): boolean {
    const leaving: LeavingImports = {
      file: path.relative(root, file),
      line: imports[0]?.line ?? 1,
      targets: imports.map(({ target }) => target),
    }
    this.leaving.push(leaving)
    return this.#places.mayLeave?.(leaving) ?? false
  }

  #report(file: string, code: string, message: string, line?: number): void {
    this.diagnostics.push({ path: file, ...(line && { line }), severity: 'warning', code, message })
  }
}

/** Claude Code leaves out comments that are paragraphs of their own, which nobody sees in the rendered file. */
function withoutComments(text: string): string {
  return text
    .split(/(^ {0,3}(?:```|~~~)[\s\S]*?^ {0,3}(?:```|~~~)[ \t]*$)/m)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/^[ \t]*<!--[\s\S]*?-->[ \t]*(?:\n|$)/gm, '')))
    .join('')
}
