import type { AgentDefinition } from '@cadre/core'
import type { ParsedAgent } from '../load/read-definition.ts'
import type { Finding } from './lint-result.ts'
import type { AgentOrigin } from './project-of-file.ts'
import type { WrittenHeader, WrittenKey } from './written-header.ts'

/** One file, as the rules see it. */
export interface LintSubject {
  /** Absolute. */
  readonly path: string
  /** The path for messages. */
  readonly shown: string
  readonly text: string
  readonly dialect: string
  readonly read: ParsedAgent
  readonly header: WrittenHeader
  readonly membership: AgentOrigin
  /** For settings: all agents in it are invalid, so the defaults are used. */
  readonly isUseless?: boolean
}

/** Information that rules have besides the files. */
export interface LintKnowledge {
  /** Available tools besides the built-in ones: modules can add their own. */
  readonly tools?: readonly string[]
  /** The names of the MCP servers that are configured. */
  readonly servers?: readonly string[]
  /** Looks up a model name in a catalogue. Absent if there is none. */
  readonly model?: (name: string) => Promise<ModelKnowledge>
  /** Agents that exist without a project file: built-in ones, and the user's own. */
  readonly agents?: readonly AgentDefinition[]
}

export type ModelKnowledge =
  | { readonly kind: 'known' }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] }
  /** The catalogue does not list its models. */
  | { readonly kind: 'untold' }

/** A rule about a single file. Must not throw for any content. */
export type FileRule = (subject: LintSubject, knowledge: LintKnowledge) => Iterable<Finding>

/** A rule about the agents of one project together. */
export type ProjectRule = (
  members: readonly LintSubject[],
  knowledge: LintKnowledge,
) => Iterable<{ readonly subject: LintSubject; readonly finding: Finding }>

/** Returns the first of these keys in the file. */
export function findKey({ header }: LintSubject, ...plain: readonly string[]): WrittenKey | undefined {
  for (const key of plain) {
    const found = header.get(key)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the line of a key, or of the header if the key is missing. */
export function lineOfKey(subject: LintSubject, ...plain: readonly string[]): number {
  return findKey(subject, ...plain)?.line ?? subject.read.agent?.source?.line ?? 1
}
