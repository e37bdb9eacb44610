import type { AgentDefinition } from '@cadre/core'
import type { ReadAgent } from '../load/read-definition.ts'
import type { Finding } from './lint-result.ts'
import type { Membership } from './project-of-file.ts'
import type { WrittenHeader, WrittenKey } from './written-header.ts'

/** One file as the rules see it. */
export interface Subject {
  /** Absolute. */
  readonly path: string
  /** As it is shown. */
  readonly shown: string
  readonly text: string
  readonly dialect: string
  readonly read: ReadAgent
  readonly header: WrittenHeader
  readonly membership: Membership
  /** Of settings: what is used instead of the agents in it is not written there. */
  readonly isUseless?: boolean
}

/** What the rules may know beyond the files. */
export interface LintKnowledge {
  /** Names of tools that are really there, beyond those everybody knows: modules can bring their own. */
  readonly tools?: readonly string[]
  /** What a catalogue of models says about a name. Absent when there is none to ask. */
  readonly model?: (name: string) => Promise<ModelKnowledge>
  /** Agents that are there without a file of the project: built-in ones, the user's own. */
  readonly agents?: readonly AgentDefinition[]
}

export type ModelKnowledge =
  | { readonly kind: 'known' }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] }
  /** The catalogue does not list its models. */
  | { readonly kind: 'untold' }

/** A rule about one file by itself. Must not throw, whatever the file. */
export type FileRule = (subject: Subject, knowledge: LintKnowledge) => Iterable<Finding>

/** A rule about the agents of one project together. */
export type ProjectRule = (
  members: readonly Subject[],
  knowledge: LintKnowledge,
) => Iterable<{ readonly subject: Subject; readonly finding: Finding }>

/** The first of these keys that the file has. */
export function keyOf({ header }: Subject, ...plain: readonly string[]): WrittenKey | undefined {
  for (const key of plain) {
    const found = header.get(key)
    if (found !== undefined) return found
  }
  return undefined
}

/** The line of a key, or of the header when the key is not there. */
export function lineOf(subject: Subject, ...plain: readonly string[]): number {
  return keyOf(subject, ...plain)?.line ?? subject.read.agent?.source?.line ?? 1
}
