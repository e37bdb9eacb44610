import type { CollectKnowledge, LifecycleHandler, Notice } from '@cadre/core'
import { type Diagnostic, showDiagnostic } from '@cadre/disk'
import { instructionParts, listedPart, skillsPart } from './compose.ts'
import { createInstructionsHandler } from './create-instructions-handler.ts'
import { environmentFacts } from './facts/environment-facts.ts'
import { findInstructions } from './instructions/find-instructions.ts'
import type { KnowledgePaths } from './knowledge-paths.ts'
import { receivesInstructions } from './receives-instructions.ts'
import { findSkills, type Skill } from './skills/find-skills.ts'

export interface KnowledgeOptions {
  readonly userHome: string
  /** True if a person trusts the folder. */
  readonly trusted: boolean
  /** Returns whether a person trusts imports that point outside the folder. */
  readonly mayLeave?: KnowledgePaths['mayLeave']
  /** False: read only the user's own files, and none of the folder. */
  readonly folder?: boolean
  /** Returns which files in a workspace are hidden from agents. */
  readonly hiddenIn: (workspace: string) => ((real: string) => boolean) | undefined
  readonly now: () => number
}

/** Information that sessions get besides the prompt of their agent. */
export interface KnowledgeSource {
  readonly inform: CollectKnowledge
  /** Adds instructions to the outcome of the first call that touches a file they apply to. */
  readonly onLifecycleEvent: LifecycleHandler
  placesOf(workspace: string): KnowledgePaths
  /** The skills for a workspace. */
  skills(workspace: string): readonly Skill[]
}

/** Reads the files whenever a session starts, so that a session in its own workspace has the files of that workspace. */
export function createKnowledge(options: KnowledgeOptions): KnowledgeSource {
  const { userHome, trusted, mayLeave, folder = true, hiddenIn, now } = options
  const placesOf = (workspace: string): KnowledgePaths => ({
    workspace,
    userHome,
    folder,
    isHidden: hiddenIn(workspace),
    mayLeave,
  })
  /** Sessions that start in the same turn of the event loop share what was read: a reply may delegate a hundred times. */
  const justRead = new Map<string, ReturnType<typeof readFiles>>()
  const readIn = (workspace: string) => {
    const known = justRead.get(workspace)
    if (known !== undefined) return known
    const read = readFiles(placesOf(workspace))
    justRead.set(workspace, read)
    setImmediate(() => justRead.delete(workspace))
    return read
  }
  return {
    async inform({ agent, workspace, tools }) {
      const facts = environmentFacts(workspace, now())
      if (!receivesInstructions(agent)) return { parts: [await facts] }
      const { found, skilled } = readIn(workspace)
      const { parts, notices } = instructionParts(found.always, trusted)
      const { skills, diagnostics } = skilled
      const listed = tools.has('read_file') ? listedPart(found.listed) : undefined
      const listing = skillsPart(skills, tools)
      return {
        parts: [...parts, ...(listed ? [listed] : []), ...(listing ? [listing] : []), await facts],
        notices: [...notices, ...[...found.diagnostics, ...diagnostics].map(noticeOf)],
      }
    },
    onLifecycleEvent: folder ? createInstructionsHandler(placesOf) : () => undefined,
    placesOf,
    skills: (workspace) => findSkills(placesOf(workspace)).skills,
  }
}

function readFiles(places: KnowledgePaths) {
  return { found: findInstructions(places), skilled: findSkills(places) }
}

function noticeOf(diagnostic: Diagnostic): Notice {
  return { code: diagnostic.code, message: showDiagnostic(diagnostic) }
}
