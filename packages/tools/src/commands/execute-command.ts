import { type Infer, integer, object, optional, string, type Tool, type ToolResult } from '@cadre/core'
import {
  type CommandEnd,
  commandsOfCall,
  describeLimit,
  endLeftoverCommand,
  interpretLine,
  type PathResolver,
} from '@cadre/gate'
import { builtIn, type ToolImplementation } from '../built-in.ts'
import { confinePath } from '../files/confine-path.ts'
import { Refusal } from '../refusal.ts'
import { delayValidation } from '../tasks/delay-validation.ts'
import { reshapeCommand } from './command-input.ts'
import { type CommandOptions, defaultSeconds, maxSeconds } from './command-options.ts'
import { createRunInWorkspace, type WorkspaceEnd } from './run-in-workspace.ts'

const input = object({
  command: string('The command line, in bash syntax', { min: 1 }),
  cwd: optional(string('Folder to run in, relative to the workspace; default: the workspace')),
  timeout: optional(integer(`Time limit in seconds; default ${defaultSeconds}`, { min: 1, max: maxSeconds })),
})

export type ExecuteCommandInput = Infer<typeof input>

export function executeCommandTool(places: PathResolver, options: CommandOptions = {}): Tool {
  return builtIn<ExecuteCommandInput>({
    name: 'execute_command',
    description:
      'Run a command line with bash in the workspace and return its exit code and output. The command gets no input. Cadre stops all processes that the command leaves running.',
    class: 'execute',
    effect: 'execute',
    argumentAliases: {
      cmd: 'command',
      script: 'command',
      workdir: 'cwd',
      directory: 'cwd',
      dir_path: 'cwd',
      working_directory: 'cwd',
      workingDirectory: 'cwd',
    },
    reshape: reshapeCommand,
    input: delayValidation(input, options.sandbox),
    paths: ({ cwd }) => (cwd ? [cwd] : []),
    commands: ({ command }) => commandsOfCall(command),
    endLeftover: ({ key }) => endLeftoverCommand(key, options.home),
    load: () => executeCommand(places, options),
  })
}

function executeCommand(
  places: PathResolver,
  options: CommandOptions,
): ToolImplementation<ExecuteCommandInput> {
  const run = createRunInWorkspace(places, options)
  return {
    async run({ command, cwd, timeout = defaultSeconds }, context, signal) {
      const folder = confinePath({ path: cwd || '.', context })
      const { plan } = interpretLine(command)
      // An approved command runs exactly as the person saw it. A command allowed by rules runs as parsed, without a shell.
      if (context.approved !== true && plan === undefined)
        throw new Refusal('This command line needs a shell, and no person has approved it.')
      const end = await run(
        {
          command: context.approved === true || plan === undefined ? command : { plan },
          cwd: folder.real,
          workspace: folder.root,
          seconds: timeout,
          what: 'The command',
        },
        context,
        signal,
      )
      return formatEnd(end)
    },
  }
}

function formatEnd(end: WorkspaceEnd): ToolResult {
  const { kind, code, output, seconds, touched, limit } = end
  const heads: { readonly [kind in CommandEnd['kind']]: string } = {
    exited: `Exit code ${code ?? 'unknown'}.`,
    timed_out: `The command took longer than ${seconds} seconds. Cadre stopped it and every process it had started.`,
    cancelled: 'The command was cancelled. Cadre stopped it and every process it had started.',
    flooded: 'The command printed too much output, so Cadre stopped it.',
    over_limit: limit === undefined ? '' : describeLimit(limit),
    not_started: '',
  }
  const parts = [heads[kind], touched ?? '', output.trimEnd()].filter((part) => part !== '')
  const failed = kind !== 'exited' || code !== 0 || touched !== undefined
  return { content: parts.join('\n'), ...(failed && { failed: true }) }
}
