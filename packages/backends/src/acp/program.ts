import type { JsonObject } from '@cadre/core'
import type { Environment } from '../child-environment.ts'

/**
 * How Cadre controls a program.
 *
 * `tools`: the program has no tools besides Cadre's. Every effect is a call that the gate judges.
 * `sandbox`: the program keeps its own tools. The gate answers its permission requests, and the sandbox limits the rest.
 */
export type Control = 'tools' | 'sandbox'

/** A program that speaks the Agent Client Protocol. */
export interface AgentProgram {
  /** The name after `acp:`. */
  readonly name: string
  /** How messages name it. */
  readonly title: string
  readonly control: Control
  /** The program and its first arguments. The program is searched for on PATH. */
  readonly command: readonly [string, ...string[]]
  /** How to install it, as the end of a sentence. Absent for programs of the user. */
  readonly install?: string
  /** How to sign in, as a sentence. Absent for programs of the user. */
  readonly signIn?: string
  /** A command line that sends a request to its model, without Cadre. Absent for programs of the user. */
  readonly trial?: string
  /** The version that Cadre was tested with. Absent: not tested. */
  readonly tested?: string
  /** Names of environment variables that it gets, besides basic ones. */
  readonly variables: RegExp
  /** Writes its configuration to the private folder, and returns how to start it. */
  prepare(setup: ProgramSetup): PreparedProgram
  /**
   * Returns the `command` and the `cwd` that a permission request asks for, if they are not in its `rawInput`. Undefined if the request does
   * not show all of it.
   */
  commandIn?(toolCall: JsonObject): JsonObject | undefined
  /** True for a text that the program writes by itself, and that is no part of a reply. */
  isRemark?(text: string): boolean
  /** Returns the reason if the last piece of text in a turn is an error of the program. Models write smaller pieces. */
  failureIn?(text: string): string | undefined
}

export interface ProgramSetup {
  /** An existing private folder, deleted afterwards. */
  readonly folder: string
  readonly env: Environment
  /** The names of Cadre's tools. */
  readonly tools: readonly string[]
  readonly system: string
  /** The model after the slash, if there is one. */
  readonly model: string | undefined
}

export interface PreparedProgram {
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string | undefined }
  /** `_meta` of `session/new`. */
  readonly meta?: JsonObject
  /** True if the program gets the system prompt in another way than with the first message. */
  readonly hasSystem?: boolean
  /** True if `args` or `meta` already choose the model. */
  readonly hasModel?: boolean
  /** How it signs in, if a key in its environment has to be chosen first. */
  readonly authenticate?: string | undefined
  /** The mode in which it asks most often. */
  readonly mode?: string
}

/** The name of Cadre's tool server in a program. */
export const serverName = 'cadre'
