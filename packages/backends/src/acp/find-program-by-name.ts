import type { AcpConfig } from '../models-config.ts'
import type { AgentProgram } from './program.ts'
import { claudeProgram } from './programs/claude.ts'
import { codexProgram } from './programs/codex.ts'
import { copilotProgram } from './programs/copilot.ts'
import { customProgram } from './programs/custom.ts'
import { geminiProgram } from './programs/gemini.ts'
import { opencodeProgram } from './programs/opencode.ts'

const knownPrograms: readonly AgentProgram[] = [
  copilotProgram,
  claudeProgram,
  opencodeProgram,
  codexProgram,
  geminiProgram,
]

/** The names that can follow `acp:`. */
export function programNames({ programs = {} }: AcpConfig): string[] {
  return [...new Set([...knownPrograms.map(({ name }) => name), ...Object.keys(programs)])]
}

/** A program by its name, with the command of the configuration if there is one. */
export function findProgramByName(
  name: string,
  { programs = {} }: AcpConfig,
): { readonly program: AgentProgram; readonly command: readonly string[] } | undefined {
  const settings = Object.hasOwn(programs, name) ? programs[name] : undefined
  const known = knownPrograms.find((program) => program.name === name)
  if (known !== undefined) return { program: known, command: settings?.command ?? known.command }
  if (settings?.command === undefined) return undefined
  const { command, variables } = settings
  return { program: customProgram(name, { command, ...(variables && { variables }) }), command }
}
