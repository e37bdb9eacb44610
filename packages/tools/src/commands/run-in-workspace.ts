import { homedir } from 'node:os'
import type { ToolContext } from '@cadre/core'
import {
  type CommandEnd,
  type CommandRun,
  cleanEnvironment,
  findSandbox,
  type PathResolver,
  runGuardedCommand,
  type Sandbox,
} from '@cadre/gate'
import { Refusal } from '../refusal.ts'
import { type CommandOptions, maxSeconds as upperLimit } from './command-options.ts'

export interface WorkspaceRun extends Pick<CommandRun, 'command' | 'cwd' | 'workspace'> {
  /** The timeout, capped at the maximum. */
  readonly seconds: number
  /** The name for messages: `The command`. */
  readonly what: string
}

export interface WorkspaceEnd extends CommandEnd {
  /** The effective timeout. */
  readonly seconds: number
  /** What it did to protected files, for the model and for people. */
  readonly touched?: string
}

export type RunInWorkspace = (
  run: WorkspaceRun,
  context: ToolContext,
  signal: AbortSignal,
) => Promise<WorkspaceEnd>

/** Options for which the missing sandbox was reported: once per run is enough. */
const warnedOptions = new WeakSet<CommandOptions>()

/** Runs programs in a workspace for all tools: in the sandbox, within the limits, and within the agent's boundary. */
export function createRunInWorkspace(places: PathResolver, options: CommandOptions): RunInWorkspace {
  const {
    home,
    unreadableIn,
    unwritableIn,
    network = false,
    environment = [],
    excluded = [],
    maxSeconds = upperLimit,
    maxOutput,
    limits,
    tell,
    watch,
  } = options
  let found: Promise<Sandbox> | undefined
  const sandboxOf = () => {
    const { sandbox } = options
    found ??= Promise.resolve(
      typeof sandbox === 'function' ? sandbox() : (sandbox ?? findSandbox(process.env)),
    )
    return found
  }
  const tellOpenly = (sandbox: Sandbox) => {
    if (sandbox.kind !== 'none' || warnedOptions.has(options)) return
    warnedOptions.add(options)
    tell?.(`Commands run without a sandbox (${sandbox.reason}). Run "cadre doctor" for instructions.`)
  }
  return async ({ seconds: wanted, what, ...run }, context, signal) => {
    // The role rule already denies this; checked again in case it was not evaluated.
    if (context.boundary?.commands === 'none')
      throw new Refusal(
        `${context.agent} may not run commands. Delegate the command to an agent that may run commands.`,
      )
    const seconds = Math.min(wanted, maxSeconds, upperLimit)
    const sandbox = await sandboxOf()
    tellOpenly(sandbox)
    const end = await runGuardedCommand(
      {
        ...run,
        timeoutMs: seconds * 1_000,
        copy: context.boundary?.commands === 'copy',
        network,
        excluded,
        environment: cleanEnvironment(process.env, environment),
        key: context.key,
        take: watch?.(context),
        ...(maxOutput !== undefined && { maxOutput }),
        ...(limits !== undefined && { limits }),
      },
      { sandbox, places, userHome: homedir(), home, unreadableIn, unwritableIn },
      signal,
    )
    const touched = describeProtectedChanges(what, end)
    if (touched === undefined) return { ...end, seconds }
    tell?.(`${context.agent} (${context.session}): ${touched}`)
    return { ...end, seconds, touched }
  }
}

function describeProtectedChanges(what: string, { changes }: CommandEnd): string | undefined {
  if (changes.length === 0) return undefined
  const list = (of: CommandEnd['changes']) => of.map((change) => `${change.path} (${change.what})`).join(', ')
  const undone = changes.filter((change) => change.undone)
  const left = changes.filter((change) => !change.undone)
  const said = [
    undone.length > 0 &&
      `${what} changed protected files, which agents may not change. Cadre restored them: ${list(undone)}.`,
    left.length > 0 &&
      `${what} changed protected files, and Cadre could not restore them. A person has to check them: ${list(left)}.`,
  ]
  return said.filter((sentence) => sentence !== false).join(' ')
}
