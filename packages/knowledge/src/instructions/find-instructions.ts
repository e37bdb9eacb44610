import path from 'node:path'
import { type Diagnostic, entriesIn } from '@cadre/disk'
import { matchesEverything, splitGlobs } from '../globs.ts'
import { foldersFromRoot, type KnowledgePaths, rootOf } from '../knowledge-paths.ts'
import { splitHeader, textValue } from '../split-header.ts'
import type { InstructionFile } from './instruction-file.ts'
import { InstructionReader } from './read-instructions.ts'

export interface FoundInstructions {
  /** For every session in the workspace, most general first. */
  readonly always: readonly InstructionFile[]
  /** For files that match their globs. */
  readonly scoped: readonly InstructionFile[]
  /** For sessions that choose to read them, based on their description. */
  readonly listed: readonly InstructionFile[]
  readonly diagnostics: readonly Diagnostic[]
  /** Imports that point outside the folder. */
  readonly leaving: InstructionReader['leaving']
}

const maxFiles = 200
const instructionFileNames = [
  'AGENTS.md',
  '.github/copilot-instructions.md',
  'CLAUDE.md',
  '.claude/CLAUDE.md',
  'CLAUDE.local.md',
] as const

/** Finds the instructions of the user, and of every folder from the repository root down to the workspace. Never throws. */
export function findInstructions(places: KnowledgePaths): FoundInstructions {
  const { workspace, userHome, folder = true } = places
  const reader = new InstructionReader(places)
  const root = rootOf(workspace)
  const folders = folder ? foldersFromRoot(root, workspace) : []
  const always = [
    ...reader.read({ file: path.join(userHome, '.claude/CLAUDE.md') }),
    ...reader.read({ file: path.join(userHome, '.copilot/copilot-instructions.md') }),
    ...folders.flatMap((at) =>
      instructionFileNames.flatMap((name) => reader.read({ file: path.join(at, name), root })),
    ),
  ]
  const tops = [...new Set(folder ? [root, workspace] : [])]
  const scoped = [
    ...markdownIn(path.join(userHome, '.copilot/instructions'), /\.instructions\.md$/i).map((file) => ({
      file,
      base: workspace,
    })),
    ...tops.flatMap((base) => [
      ...markdownIn(path.join(base, '.github/instructions'), /\.instructions\.md$/i).map((file) => ({
        file,
        base,
        root,
      })),
      ...markdownIn(path.join(base, '.claude/rules'), /\.md$/i).map((file) => ({ file, base, root })),
    ]),
  ].flatMap(({ base, ...request }) => reader.read(request).map((file) => withScope(file, base, reader)))
  return {
    always: [
      ...always,
      ...scoped.filter(({ applyTo }) => applyTo !== undefined && matchesEverything(applyTo)),
    ],
    scoped: scoped.filter(({ applyTo = [] }) => applyTo.length > 0 && !matchesEverything(applyTo)),
    listed: scoped.filter(({ applyTo }) => applyTo === undefined),
    diagnostics: reader.diagnostics,
    leaving: reader.leaving,
  }
}

/** Returns the instructions of one folder below the workspace, for sessions that work in it. */
export function folderInstructions(folder: string, places: KnowledgePaths): readonly InstructionFile[] {
  const reader = new InstructionReader(places)
  const root = rootOf(places.workspace)
  const names = instructionFileNames.filter((name) => !name.startsWith('.github'))
  return names.flatMap((name) => reader.read({ file: path.join(folder, name), root }))
}

/** Copilot writes `applyTo`, Claude Code `paths`. A rule of Claude Code without either applies everywhere. */
function withScope(file: InstructionFile, base: string, reader: InstructionReader): InstructionFile {
  if (file.importedBy !== undefined) return { ...file, applyTo: ['**'] }
  const { fields, body, diagnostics } = splitHeader(file.text, file.real)
  reader.diagnostics.push(...diagnostics)
  const written = fields.get('applyTo')?.value ?? fields.get('paths')?.value
  const globs = (Array.isArray(written) ? written : [written]).flatMap((one) =>
    typeof one === 'string' ? splitGlobs(one) : [],
  )
  const isRule = !/\.instructions\.md$/i.test(file.real)
  const applyTo = globs.length > 0 ? globs : isRule ? ['**'] : undefined
  const description = textValue(fields, 'description')
  return {
    ...file,
    text: body,
    base,
    ...(applyTo && { applyTo }),
    ...(description !== undefined && { description }),
  }
}

/** Files below a folder, at any depth, sorted. */
function markdownIn(folder: string, name: RegExp, depth = 0): string[] {
  return entriesIn(folder)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, maxFiles)
    .flatMap((entry) => {
      const at = path.join(folder, entry.name)
      if (entry.isDirectory()) return depth < 5 ? markdownIn(at, name, depth + 1) : []
      return name.test(entry.name) ? [at] : []
    })
    .slice(0, maxFiles)
}
