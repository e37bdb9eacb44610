import {
  type BaseArgs,
  buildCommand,
  type Command,
  type CommandContext,
  type TypedCommandParameters,
} from '@stricli/core'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { withFlagValues } from './flag-values.ts'

/** The context of one command: the process, and the result. */
export interface CliContext extends CommandContext {
  readonly io: Io
  ending: { readonly code: ExitCode } | { readonly error: unknown } | undefined
}

/** The implementation of a command. Rejects with a `CadreError` for anything a person can act on. */
export type CommandRun<Flags, Args extends BaseArgs> = (
  io: Io,
  flags: Flags,
  ...args: Args
) => Promise<ExitCode>

export interface CommandDescription<Flags, Args extends BaseArgs> {
  readonly brief: string
  /** A longer description, in full sentences. */
  readonly about?: string
  /** Example command lines without the leading `cadre`, each with its effect. */
  readonly examples: readonly (readonly [line: string, does: string])[]
  readonly parameters: NoInfer<TypedCommandParameters<Flags & Record<never, never>, Args, CliContext>>
  /** Imports the code of the command, which is loaded only when the command runs. */
  readonly load: () => Promise<CommandRun<Flags, Args>>
}

export function defineCommand<
  const Flags extends Readonly<Partial<Record<keyof Flags, unknown>>>,
  const Args extends BaseArgs,
>(description: CommandDescription<Flags, Args>): Command<CliContext> {
  const { brief, about, examples, parameters, load } = description
  const shown = examples.map(([line, does]) => `  cadre ${line}\n    ${does}`)
  const command = buildCommand<Flags, Args, CliContext>({
    docs: { brief, fullDescription: `${about ?? `${brief}.`}\n\nEXAMPLES\n${shown.join('\n')}` },
    parameters: withProposals(parameters as DescribedParameters) as never,
    loader: async () =>
      async function (this: CliContext, flags: Flags, ...args: Args) {
        // Caught here, because the parser would treat every failure as its own.
        try {
          const run = await load()
          this.ending = { code: await run(this.io, flags, ...args) }
        } catch (error) {
          this.ending = { error }
        }
      },
  })
  const flags = parameters.flags as FlagsOfHelp | undefined
  return { ...command, formatHelp: (args) => withFlagValues(command.formatHelp(args), flags ?? {}) }
}

type FlagsOfHelp = Parameters<typeof withFlagValues>[1]

interface Parameter {
  readonly kind?: string
  readonly placeholder?: string
}

interface DescribedParameters {
  readonly flags?: Readonly<Record<string, Parameter>>
  readonly positional?: { readonly parameters?: readonly Parameter[]; readonly parameter?: Parameter }
}

/** Values that a shell can complete are identified by their placeholder. */
function withProposals(parameters: DescribedParameters): object {
  const { flags = {}, positional } = parameters
  const proposing = (parameter: Parameter) => ({
    ...parameter,
    async proposeCompletions(this: CliContext, partial: string) {
      const { completionsFor } = await import('./completions.ts')
      const found = await completionsFor(parameter.placeholder, this.io)
      return found.filter((value) => value.startsWith(partial))
    },
  })
  // Without a prototype: `--constructor` must be an unknown flag like any other.
  const bare = Object.create(null) as Record<string, Parameter>
  for (const [name, flag] of Object.entries(flags))
    bare[name] = flag.kind === 'parsed' ? proposing(flag) : flag
  return {
    ...parameters,
    flags: bare,
    ...(positional && {
      positional: {
        ...positional,
        ...(positional.parameters && { parameters: positional.parameters.map(proposing) }),
        ...(positional.parameter && { parameter: proposing(positional.parameter) }),
      },
    }),
  }
}
