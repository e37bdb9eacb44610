import type { ControlFlags, GateFlags } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createStyle, wantsColour } from '../../output/style.ts'
import { resolveWorkspace } from '../../run/resolve-workspace.ts'
import { createExplainer } from './create-explainer.ts'
import { readDepth } from './depth.ts'
import { explanationText } from './explanation-text.ts'
import { readInput } from './read-input.ts'

export interface ExplainFlags extends GateFlags, ControlFlags {
  readonly agent?: string
  readonly tool: string
  readonly input?: string
  readonly depth?: string
  readonly workspace?: string
  readonly team?: string
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre policy explain`. */
export async function explain(io: Io, flags: ExplainFlags): Promise<ExitCode> {
  const { depth: written, tool, json, ...rest } = flags
  const workspace = resolveWorkspace(io, flags.workspace)
  const depth = written === undefined ? undefined : readDepth(written)
  const input = await readInput(io, flags.input)
  const explainer = await createExplainer(io, { ...rest, workspace, depth })
  for (const { message } of explainer.notices) io.stderr.write(`cadre: ${cleanText(message)}\n`)
  const explanation = await explainer.explain(tool, input)
  if (json) io.stdout.write(`${JSON.stringify(explanation)}\n`)
  else io.stdout.write(explanationText(explanation, createStyle(wantsColour(io.stdout, io.env))))
  return exitCodes.done
}
