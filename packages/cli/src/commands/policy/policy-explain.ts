import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type JsonObject, parseJson, sentenceOf } from '@cadre/core'
import {
  type ControlFlags,
  createExplainer,
  type GateFlags,
  readDepth,
  resolveWorkspace,
} from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'
import { readAll } from '../../run/work-from-input.ts'
import { explanationText } from './explanation-text.ts'

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
export async function explainPolicy(io: Io, flags: ExplainFlags): Promise<ExitCode> {
  const { depth: written, tool, json, ...rest } = flags
  const workspace = resolveWorkspace(io, flags.workspace)
  const depth = written === undefined ? undefined : readDepth(written)
  const input = await readInput(io, flags.input)
  const explainer = await createExplainer(io, { ...rest, workspace, depth })
  for (const { message } of explainer.notices) io.stderr.write(`cadre: ${cleanText(message)}\n`)
  const explanation = await explainer.explain(tool, input)
  if (json) io.stdout.write(`${JSON.stringify(explanation)}\n`)
  else io.stdout.write(explanationText(explanation, createStyle(shouldUseColour(io.stdout, io.env))))
  return exitCodes.done
}

/** A call's arguments: JSON, `@FILE` with JSON in it, or `-` for standard input. Default: no arguments. */
async function readInput(io: Io, given: string | undefined): Promise<JsonObject> {
  if (given === undefined) return {}
  const text = given === '-' ? await readAll(io.stdin) : given.startsWith('@') ? fromFile(io, given) : given
  const parsed = parseJson(text)
  const what = given === '-' ? 'standard input' : given.startsWith('@') ? given.slice(1) : '--input'
  if (!parsed.ok) throw new CadreError('usage', `${what} is not valid JSON: ${parsed.reason}${hint(given)}`)
  const { value } = parsed
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new CadreError(
    'usage',
    `${what} must be a JSON object with the tool's arguments, such as {"path": "README.md"}.`,
  )
}

function fromFile(io: Io, given: string): string {
  const file = path.resolve(io.cwd, given.slice(1))
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CadreError('usage', `cannot read the --input file: ${sentenceOf(error)}`, { where: file })
  }
}

function hint(given: string): string {
  return given.startsWith('{') || given === '-' || given.startsWith('@')
    ? '.'
    : '. Write the arguments as {"name": "value"}, @FILE, or - for standard input.'
}
