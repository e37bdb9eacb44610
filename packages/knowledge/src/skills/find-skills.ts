import { realpathSync } from 'node:fs'
import path from 'node:path'
import { type Diagnostic, entriesIn, readInsideFolder } from '@cadre/disk'
import { displayPath, foldersFromRoot, type KnowledgePaths, rootOf } from '../knowledge-paths.ts'
import { plainText } from '../plain-text.ts'
import { splitHeader, textValue } from '../split-header.ts'

/** A skill: its name and description are in the prompt, and its text is read on demand. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Its folder, and the path of its `SKILL.md` for messages. */
  readonly folder: string
  readonly shown: string
  readonly body: string
  /** True if it is in the repository of the workspace, where the file tools can read it. */
  readonly inWorkspace: boolean
  /** False: hidden from agents, for people only. */
  readonly forModels: boolean
}

export interface FoundSkills {
  readonly skills: readonly Skill[]
  readonly diagnostics: readonly Diagnostic[]
}

const maxSkills = 200
/** The limits of the format. */
const maxNameLength = 64
const maxDescriptionLength = 1_024

/** Finds the skills of the workspace, its repository and the user. Of two with one name, the first is used. Never throws. */
export function findSkills(places: KnowledgePaths): FoundSkills {
  const { workspace, userHome, folder = true } = places
  const root = rootOf(workspace)
  const folders = folder ? foldersFromRoot(root, workspace).reverse() : []
  const diagnostics: Diagnostic[] = []
  const skills = new Map<string, Skill>()
  const collections = [
    ...folders.flatMap((at) =>
      ['.github', '.claude', '.agents'].map((host) => ({ at: path.join(at, host, 'skills'), root })),
    ),
    ...['.copilot', '.claude', '.agents'].map((host) => ({
      at: path.join(userHome, host, 'skills'),
      root: '',
    })),
  ]
  for (const { at, root: within } of collections) {
    for (const entry of entriesIn(at)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, maxSkills)) {
      if (!entry.isDirectory() && !entry.isSymbolicLink()) continue
      const skill = readSkill(path.join(at, entry.name), within, places, diagnostics)
      if (skill !== undefined && !skills.has(skill.name)) skills.set(skill.name, skill)
    }
  }
  return { skills: [...skills.values()].slice(0, maxSkills), diagnostics }
}

function readSkill(
  folder: string,
  root: string,
  places: KnowledgePaths,
  diagnostics: Diagnostic[],
): Skill | undefined {
  const file = path.join(folder, 'SKILL.md')
  const report = (message: string, line = 1) => {
    diagnostics.push({ path: file, line, severity: 'warning', code: 'skill', message })
  }
  const content = readInsideFolder(root || path.parse(file).root, file)
  if (content.kind === 'unusable') report(`The skill is not used: ${content.reason}.`)
  if (content.kind !== 'read') return undefined
  if (places.isHidden?.(realpathSync(file))) return undefined
  const { fields, body, diagnostics: ofHeader } = splitHeader(plainText(content.text).text, file)
  diagnostics.push(...ofHeader)
  const named = path.basename(folder)
  const written = textValue(fields, 'name')
  if (written !== undefined && written !== named)
    report(
      `The name ${JSON.stringify(written)} differs from its folder. Cadre uses the name ${named}.`,
      fields.get('name')?.line,
    )
  if (!/^[\w.-]+$/.test(named) || named.length > maxNameLength) {
    report(
      `The skill is not used: its folder name must be 1 to ${maxNameLength} letters, digits and hyphens.`,
    )
    return undefined
  }
  const description = textValue(fields, 'description')
  if (description === undefined) {
    report('The skill is not used: it has no description, so agents cannot tell when to use it.')
    return undefined
  }
  if (description.length > maxDescriptionLength)
    report(
      `The description has ${description.length} characters. Agents see the first ${maxDescriptionLength}.`,
      fields.get('description')?.line,
    )
  return {
    name: named,
    description: description.slice(0, maxDescriptionLength),
    folder,
    shown: displayPath(file, places),
    body: body.trim(),
    inWorkspace: root !== '',
    forModels: fields.get('disable-model-invocation')?.value !== true,
  }
}
