import { spawn } from 'node:child_process'
import { CadreError, messageOf } from '@cadre/core'
import { commandFile } from '../../app/own-files.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'
import { commandName } from '../../run/command-name.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { type DemoDecision, decideDemo } from './decide-demo.ts'
import { endingText } from './ending-text.ts'
import { type DemoFolder, prepareDemo } from './prepare-demo.ts'
import { runScenario, type Step } from './run-scenario.ts'

export interface DemoFlags {
  readonly dir?: string
  readonly yes?: boolean
  readonly json?: boolean
}

/** `cadre demo`. */
export async function runDemo(io: Io, flags: DemoFlags): Promise<ExitCode> {
  const place = await prepareDemo(io, flags.dir)
  const isAsked = !flags.yes && !flags.json && io.stdin.isTTY === true && io.stdout.isTTY === true
  const style = createStyle(!flags.json && shouldUseColour(io.stdout, io.env))
  const say = (text: string) => void (flags.json ? io.stderr : io.stdout).write(text)
  const steps: Step[] = []
  const show = (step: Step) => {
    steps.push(step)
    if (flags.json) return void io.stdout.write(`${JSON.stringify({ type: 'step', ...step })}\n`)
    const number = style.bold(String(step.step).padStart(2))
    io.stdout.write(`${number}  ${step.title}  ${style.dim(step.file)}\n`)
    if (step.text) io.stdout.write(`${cleanText(step.text).replace(/^/gm, '    ')}\n`)
  }
  say(
    `A team answers a message in ten steps. All of its files are in ${place.home.path}\n` +
      'The model is scripted: its replies are prepared. The daemon, the files, the command and the approvals are real.\n' +
      (isAsked ? '\n' : 'The demo approves both requests itself.\n\n'),
  )
  const decisions: DemoDecision[] = []
  const stop = new AbortController()
  const release = handleStopSignals(
    () => stop.abort(new CadreError('cancelled', 'the demo was stopped.')),
    () => process.exit(exitCodes.cancelled),
  )
  try {
    await up(io, place)
    const decide = async (id: string) => {
      const decision = await decideDemo(io, { place, id, isAsked, style }, stop)
      decisions.push(decision)
      return decision
    }
    await runScenario({ home: place.home, show, decide }, stop.signal)
  } catch (error) {
    // The cursor is after a question.
    if (isAsked) io.stdout.write('\n')
    if (stop.signal.aborted) throw new CadreError('cancelled', stoppedText(io, place))
    throw error
  } finally {
    release()
    const { code, stderr } = await runCadre(io, ['down', '--home', place.home.path, '--trust'])
    if (code !== 0) say(`cadre down: ${cleanLine(stderr)}\n`)
  }
  if (flags.json)
    io.stdout.write(
      `${JSON.stringify({ type: 'demo', folder: place.folder, home: place.home.path, steps: steps.length })}\n`,
    )
  else say(`\n${endingText(io, place, decisions)}`)
  return exitCodes.done
}

/** The files are enough to continue. */
function stoppedText(io: Io, { home, folder, model }: DemoFolder): string {
  const flags = `${repeatedFlags({ home: home.path })} --workspace ${folder} --model ${model} --trust`
  return `the demo was stopped. Its files are kept. Continue with: ${commandName(io)} up${flags}`
}

async function up(io: Io, { home, folder, model }: DemoFolder): Promise<void> {
  // The folder was created for the demo, and contains nothing else.
  const flags = ['--home', home.path, '--workspace', folder, '--model', model, '--trust']
  const { code, stderr } = await runCadre(io, ['up', '--detach', ...flags]).catch((error) => ({
    code: 1,
    stderr: messageOf(error),
  }))
  if (code !== 0)
    throw new CadreError(
      'agent_execution',
      `the daemon did not start: ${cleanLine(stderr.replace(/^cadre: /, ''))}`,
    )
}

interface CadreEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs this command in a separate process, as a person would. */
function runCadre(io: Io, args: readonly string[]): Promise<CadreEnd> {
  const child = spawn(process.execPath, [commandFile, ...args], {
    cwd: io.cwd,
    env: io.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
