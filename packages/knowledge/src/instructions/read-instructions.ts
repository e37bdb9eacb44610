import { realpathSync } from 'node:fs'
import path from 'node:path'
import { type Diagnostic, isInside, readInsideFolder } from '@cadre/disk'
import { displayPath, type KnowledgePaths, type OutsideImports } from '../knowledge-paths.ts'
import { plainText } from '../plain-text.ts'
import { findImports, type Import } from './find-imports.ts'
import type { InstructionFile } from './instruction-file.ts'
import { withoutComments } from './without-comments.ts'

/** The maximum depth of imports, as in Claude Code. */
const maxDepth = 5
const maxImports = 100

export interface ReadRequest {
  readonly file: string
  /** Links and imports that point outside it are not followed; absent for files of the user. */
  readonly root?: string
  readonly importedBy?: string
}

/** Reads instructions, each file once, followed by the files they import. Never throws. */
export class InstructionReader {
  readonly diagnostics: Diagnostic[] = []
  /** Imports in files in the folder that point outside it. */
  readonly leaving: OutsideImports[] = []
  readonly #places: KnowledgePaths
  readonly #seen = new Set<string>()
  #left = maxImports

  constructor(places: KnowledgePaths) {
    this.#places = places
  }

  /** Returns nothing if the file is missing, was already read, or may not be read. */
  read(request: ReadRequest, depth = 0): InstructionFile[] {
    const { file, root, importedBy } = request
    const content = readInsideFolder(root ?? path.parse(file).root, file)
    if (content.kind === 'unusable')
      this.#report(file, 'instructions-unreadable', `Not read: ${content.reason}.`)
    if (content.kind !== 'read') return []
    const real = realpathSync(file)
    // An import may name an image.
    if (this.#seen.has(real) || content.text.includes('\0')) return []
    this.#seen.add(real)
    if (this.#places.isHidden?.(real)) {
      this.#report(file, 'instructions-denied', 'Not read: a rule does not let agents read this file.')
      return []
    }
    const { text, hidden } = plainText(content.text)
    if (hidden > 0) this.#report(file, 'hidden-characters', `Removed ${hidden} invisible characters.`)
    const own: InstructionFile = {
      real,
      shown: displayPath(file, this.#places),
      text: /(?:^|[\\/])CLAUDE(?:\.local)?\.md$/i.test(file) ? withoutComments(text) : text,
      ...(importedBy !== undefined && { importedBy }),
      ...(root === undefined && { isOwn: true as const }),
    }
    return [own, ...this.#importsOf(request, text, depth)]
  }

  #importsOf({ file, root }: ReadRequest, text: string, depth: number): InstructionFile[] {
    const imports = findImports(text).map((found) => ({ ...found, at: this.#placeOf(file, found.target) }))
    const leaves = ({ at }: { readonly at: string }) => root !== undefined && !isInside(root, at)
    // The text after an @ is often a name, not a file.
    const leaving = imports.filter((one) => leaves(one) && /^[~/.]/.test(one.target))
    const mayLeave = leaving.length > 0 && root !== undefined && this.#mayLeave(file, root, leaving)
    return imports.flatMap((one) => {
      const { target, line, at } = one
      const refuse = (code: string, why: string) => {
        this.#report(file, code, `Cadre does not import @${target}: ${why}.`, line)
        return []
      }
      if (leaves(one)) {
        if (!leaving.includes(one)) return []
        if (!mayLeave)
          return refuse('import-outside', 'the import points outside this folder, which needs trust')
        if (!/\.(?:md|mdx|mdc|txt)$/i.test(at))
          return refuse('import-outside', 'outside this folder, only Markdown and text files are read')
      }
      if (depth >= maxDepth)
        return refuse('import-limit', `imports can be nested at most ${maxDepth} levels deep`)
      if (this.#left-- <= 0) return refuse('import-limit', `there are more than ${maxImports} imports`)
      const importedBy = `${displayPath(file, this.#places)}:${line}`
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
    const leaving: OutsideImports = {
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
