import { nearest } from '@cadre/core'
import type { Backend, BackendContext, ModelInfo } from '../backend.ts'
import { unknownModel } from '../http/server-catalog.ts'
import { type AcpModel, acpModel } from './acp-model.ts'
import { describeUncontrolledActions } from './describe-uncontrolled-actions.ts'
import { findAgentProgram } from './find-agent-program.ts'
import { findProgramByName, programNames } from './find-program-by-name.ts'
import { secretsOf } from './hide-secrets.ts'
import type { AgentProgram } from './program.ts'
import { customProgram } from './programs/custom.ts'
import { splitCommand } from './split-command.ts'

const prefix = 'acp'

/** Other agents as models. Nothing starts before a session sends its first request. */
export async function openAcp(context: BackendContext): Promise<Backend> {
  const { config, env, clock, chosen } = context
  const settings = config.acp ?? {}
  const opened = new Map<string, AcpModel>()

  return {
    async open(name, factsOf) {
      const known = programNames(settings)
      if (name === '')
        return unknown(
          name,
          known,
          `acp: must be followed by the name of a program, for example acp:copilot.`,
        )
      const slash = name.indexOf('/')
      const [first, model] = slash < 0 ? [name, undefined] : [name.slice(0, slash), name.slice(slash + 1)]
      const named = findProgramByName(first, settings)
      if (named !== undefined) {
        if (model === '') return unknown(name, [first], 'a model name must follow the slash.')
        return openProgram(name, named.program, model, named.command, factsOf)
      }
      // Only the user's own choice can be a command line: an agent file must not decide which program runs.
      if (chosen !== `${prefix}:${name}`)
        return {
          ...unknown(
            name,
            nearest(first, known),
            `there is no program named ${JSON.stringify(first)}. Choose one of these with --model: ${known.map((one) => `${prefix}:${one}`).join(', ')}. To use a different program, add its command under acp.programs in your config.yaml, or pass --model "acp:COMMAND".`,
          ),
          firm: true,
        }
      const command = splitCommand(name)
      const program = customProgram(command[0] ?? name, { command })
      return openProgram(name, program, undefined, command, factsOf)
    },
    async names() {
      return programNames(settings).filter((name) => {
        const named = findProgramByName(name, settings)
        return named !== undefined && findAgentProgram(named.program, env, named.command) !== undefined
      })
    },
    async close() {
      await Promise.all([...opened.values()].map((model) => model.end()))
    },
  }

  function openProgram(
    name: string,
    program: AgentProgram,
    model: string | undefined,
    command: readonly string[],
    factsOf: (name: string) => ModelInfo,
  ) {
    const found = findAgentProgram(program, env, command)
    if (found === undefined) {
      const reason = `${program.title} is not installed: there is no program ${JSON.stringify(command[0])}. ${program.install ?? 'Give its absolute path, or a name on PATH.'}`
      return { ...unknown(name, [], reason), unreachable: true }
    }
    const withoutSandbox = settings.programs?.[program.name]?.withoutSandbox === true
    const warning = describeUncontrolledActions(program, withoutSandbox)
    let made = opened.get(name)
    if (made === undefined) {
      made = acpModel({
        id: `${prefix}:${name}`,
        facts: factsOf(name),
        found,
        model,
        env,
        clock,
        withoutSandbox,
        programCalls: context.programCalls,
        confine: context.confine,
        secrets: secretsOf(env, program.variables),
        idleTimeout: settings.idleTimeout ?? (program.control === 'tools' ? 180_000 : 900_000),
        tries: settings.tries ?? 3,
      })
      opened.set(name, made)
    }
    return { kind: 'found' as const, model: made, ...(warning !== undefined && { warning }) }
  }
}

function unknown(name: string, near: readonly string[], reason: string) {
  return unknownModel(prefix, name, reason, near)
}
