import { realpathSync } from 'node:fs'
import path from 'node:path'
import { type Diagnostic, entriesIn, readInsideFolder } from '@cadre/disk'
import { displayPath, foldersFromRoot, type KnowledgePaths, rootOf } from '../knowledge-paths.ts'
import { plainText } from '../plain-text.ts'
import { listValue, splitHeader, textValue } from '../split-header.ts'

/** A prompt that a person sends by its name: `/review src`. */
export interface PromptFile {
  readonly name: string
  readonly description: string
  readonly argumentHint?: string
  /** The agent it is for, if it names one. */
  readonly agent?: string
  readonly model?: string
  /** The tools that the agent keeps, without the text in parentheses. */
  readonly tools?: readonly string[]
  /** `allowed-tools` of a command of Claude Code: what needs no approval. `Bash(git add:*)`. */
  readonly allowed?: readonly string[]
  readonly body: string
  readonly file: string
  readonly shown: string
  /** The user's own, or a file that came with the project. */
  readonly level: 'user' | 'project'
  readonly dialect: 'copilot' | 'claude'
}

export interface FoundPromptFiles {
  readonly prompts: readonly PromptFile[]
  readonly diagnostics: readonly Diagnostic[]
}

const maxFiles = 500
/** Modes of VS Code, which are not agents. */
const modes = /^(?:ask|edit|agent|plan)$/i

/** Finds the prompt files in the workspace, its repository and the user. Of two with one name, the first is used. Never throws. */
export function findPromptFiles(places: KnowledgePaths): FoundPromptFiles {
  const { workspace, userHome, folder = true } = places
  const root = rootOf(workspace)
  const folders = folder ? foldersFromRoot(root, workspace).reverse() : []
  const diagnostics: Diagnostic[] = []
  const prompts = new Map<string, PromptFile>()
  const collections = [
    ...folders.flatMap((at) => [
      { at: path.join(at, '.github/prompts'), root, dialect: 'copilot' as const },
      { at: path.join(at, '.claude/commands'), root, dialect: 'claude' as const },
    ]),
    { at: path.join(userHome, '.claude/commands'), root: undefined, dialect: 'claude' as const },
  ]
  for (const { at, root: within, dialect } of collections) {
    for (const file of filesIn(at, dialect === 'copilot' ? /\.prompt\.md$/i : /\.md$/i)) {
      const prompt = readPrompt(file, within, dialect, places, diagnostics)
      if (prompt !== undefined && !prompts.has(prompt.name)) prompts.set(prompt.name, prompt)
    }
  }
  return { prompts: [...prompts.values()], diagnostics }
}

function readPrompt(
  file: string,
  root: string | undefined,
  dialect: PromptFile['dialect'],
  places: KnowledgePaths,
  diagnostics: Diagnostic[],
): PromptFile | undefined {
  const content = readInsideFolder(root ?? path.parse(file).root, file)
  if (content.kind === 'unusable')
    diagnostics.push({
      path: file,
      severity: 'warning',
      code: 'prompt-file',
      message: `The prompt is not used: ${content.reason}.`,
    })
  if (content.kind !== 'read' || places.isHidden?.(realpathSync(file))) return undefined
  const { fields, body, diagnostics: ofHeader } = splitHeader(plainText(content.text).text, file)
  diagnostics.push(...ofHeader)
  const written = textValue(fields, 'name') ?? path.basename(file).replace(/(?:\.prompt)?\.md$/i, '')
  const name = written.toLowerCase().replace(/\s+/g, '-')
  // People type the name and terminals show it, but a file name can contain anything.
  if (!/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:+-]{0,63}$/u.test(name)) {
    diagnostics.push({
      path: file,
      severity: 'warning',
      code: 'prompt-file',
      message: 'The prompt is not used: its name must be 1 to 64 letters, digits, hyphens and dots.',
    })
    return undefined
  }
  const agent = textValue(fields, 'agent', 'mode')
  const tools = listValue(fields, 'tools')?.map((tool) => tool.replace(/\(.*$/s, '').trim())
  const allowed = dialect === 'claude' ? allowedIn(fields.get('allowed-tools')?.value) : []
  const hint = textValue(fields, 'argument-hint')
  const model = textValue(fields, 'model')
  return {
    name,
    description: textValue(fields, 'description') ?? firstLine(body),
    ...(hint !== undefined && { argumentHint: hint }),
    ...(agent !== undefined && !modes.test(agent) && { agent }),
    ...(model !== undefined && model !== 'inherit' && { model }),
    ...(tools && { tools }),
    ...(allowed.length > 0 && { allowed }),
    body: body.trim(),
    file,
    level: root === undefined ? 'user' : 'project',
    shown: displayPath(file, places),
    dialect,
  }
}

/** A list, or names separated by commas or spaces. What is in brackets belongs to the name before them. */
function allowedIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string')
  return typeof value === 'string' ? (value.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : []
}

function firstLine(body: string): string {
  return (body.split('\n').find((line) => line.trim() !== '') ?? '').replace(/^#+\s*/, '').slice(0, 200)
}

function filesIn(folder: string, name: RegExp, depth = 0): string[] {
  return entriesIn(folder)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, maxFiles)
    .flatMap((entry) => {
      const at = path.join(folder, entry.name)
      if (entry.isDirectory()) return depth < 3 ? filesIn(at, name, depth + 1) : []
      return name.test(entry.name) ? [at] : []
    })
}
