import type { AgentProgram } from './program.ts'
import { claudeProgram } from './programs/claude.ts'
import { codexProgram } from './programs/codex.ts'
import { copilotProgram } from './programs/copilot.ts'
import { geminiProgram } from './programs/gemini.ts'
import { opencodeProgram } from './programs/opencode.ts'

export const knownAgentPrograms: readonly AgentProgram[] = [
  copilotProgram,
  claudeProgram,
  opencodeProgram,
  codexProgram,
  geminiProgram,
]
