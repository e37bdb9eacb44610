import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type HookEvent, hookEvents, interpretHookEvent } from '@cadre/agents'
import {
  type AgentDefinition,
  anything,
  CadreError,
  defineTool,
  didYouMean,
  isObject,
  normaliseInput,
  parseJson,
  restrictionCoversTool,
  type Tool,
} from '@cadre/core'
import {
  cleanEnvironment,
  type Hook,
  type HookTrial,
  placeOf,
  readHooksFile,
  sampleOf,
  strictestDecision,
  tryHooks,
} from '@cadre/gate'
import { assistant, loadSettings, loadTools } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import {
  type AvailableHooks,
  describeHookAction,
  findAvailableHooks,
  type HooksFlags,
} from './find-available-hooks.ts'

export interface TestHooksFlags extends HooksFlags {
  readonly tool?: string
  readonly input?: string
  readonly agent?: string
  readonly file?: string
  readonly json?: boolean
}

/** `cadre hooks test`: runs the hooks of an event with a sample. */
export async function testHooks(io: Io, flags: TestHooksFlags, name: string): Promise<ExitCode> {
  const event = eventNamed(name)
  const here = await findAvailableHooks(io, flags)
  const agent = agentNamed(here, flags.agent)
  const hooks = (flags.file === undefined ? here.hooks : hooksIn(io, flags.file)).filter(
    (hook) => hook.event === event && (hook.level !== 'agent' || hook.path === agent.source?.path),
  )
  const tool = await toolNamed(io, here, flags.tool)
  const input = inputFor(tool, flags)
  const now = Date.now()
  const sample = sampleOf({
    event,
    workspace: io.cwd,
    agent,
    tool,
    input,
    created: new Date(now).toISOString(),
  })
  const { project, userHome, home, policy } = here
  const trials = await tryHooks(
    {
      hooks,
      sample,
      now,
      project,
      userHome,
      environment: (extra) => ({ ...cleanEnvironment(io.env, policy.environment), ...extra }),
      transcript: (session) => home.at('sessions', `${session}.session.yaml`),
    },
    new AbortController().signal,
  )
  const skipped = hooks.filter(({ idle }) => idle !== undefined)
  if (flags.json) io.stdout.write(`${JSON.stringify(toJson(event, trials, skipped))}\n`)
  else printTrials(io, event, trials, skipped, hooks, project)
  return exitCodes.done
}

function eventNamed(name: string): HookEvent {
  const understood = interpretHookEvent(name)
  if (understood.kind === 'run') return understood.event
  const events = Object.keys(hookEvents) as HookEvent[]
  const found = events.find((event) => event.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found
  throw new CadreError(
    'usage',
    `unknown event ${JSON.stringify(name)}${didYouMean(name, events) || '.'} Events: ${events.join(', ')}.`,
  )
}

function agentNamed({ registry }: AvailableHooks, name: string | undefined): AgentDefinition {
  if (name === undefined) return assistant
  const found = registry.get(name)
  if (found !== undefined) return found
  const names = registry.list().map((agent) => agent.name)
  throw new CadreError(
    'not_found',
    `there is no agent ${JSON.stringify(name)}${didYouMean(name, names) || '. List agents with "cadre agents list".'}`,
  )
}

/** Naming a file counts as trusting it. */
function hooksIn(io: Io, file: string): readonly Hook[] {
  const at = path.resolve(io.cwd, file)
  if (!statSync(at, { throwIfNoEntry: false })?.isFile())
    throw new CadreError('not_found', `there is no file ${file}. List hook files with "cadre hooks list".`)
  const kind = /\.claude[\\/]settings(?:\.local)?\.json$/.test(at)
    ? 'claude-settings'
    : /copilot[\\/]settings(?:\.local)?\.json$/.test(at)
      ? 'copilot-settings'
      : 'hooks'
  const read = readHooksFile({ path: at, text: readFileSync(at, 'utf8'), level: 'user', kind })
  const fault = read.diagnostics.find(({ severity }) => severity === 'error')
  if (read.status === 'failed')
    throw new CadreError('configuration', fault?.message ?? 'this file contains no hook that can run.', {
      where: `${file}:${fault?.line ?? 1}`,
    })
  return read.hooks
}

async function toolNamed(io: Io, { home, folder }: AvailableHooks, name = 'execute_command'): Promise<Tool> {
  const { tools } = await loadTools({ home, settings: await loadSettings(io, home, folder) })
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => restrictionCoversTool(name, tool)) ??
    unknownTool(name)
  )
}

/** A tool that is not available here, of a server or an editor. Hooks get its own name. */
function unknownTool(name: string): Tool {
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name))
    throw new CadreError('usage', `${JSON.stringify(name)} is not a valid tool name.`)
  return defineTool({
    name,
    description: '',
    class: 'execute',
    effect: 'execute',
    input: anything('Any arguments'),
    run: () => Promise.reject(new Error('unreachable: a sample call was run')),
  }) as Tool
}

const sampleInputs: { readonly [tool: string]: object } = {
  execute_command: { command: 'echo hello' },
  read_file: { path: 'README.md' },
  write_file: { path: 'hello.txt', content: 'hello\n' },
  edit_file: { path: 'hello.txt', old: 'hello', new: 'goodbye' },
}

function inputFor(tool: Tool, { input, tool: spelling = tool.name }: TestHooksFlags): unknown {
  if (input === undefined) return sampleInputs[tool.name] ?? {}
  const parsed = parseJson(input)
  if (!parsed.ok || !isObject(parsed.value))
    throw new CadreError('usage', `--input must be a JSON object, for example '{"command":"git push"}'`)
  return normaliseInput(tool, spelling, parsed.value)
}

function toJson(event: HookEvent, trials: readonly HookTrial[], skipped: readonly Hook[]): object {
  return {
    event,
    decision: strictestDecision(trials),
    hooks: trials.map(({ hook, payload, end, answer }) => ({
      path: hook.path,
      line: hook.line,
      dialect: hook.dialect,
      runs: describeHookAction(hook),
      payload,
      ...(end.kind === 'exited'
        ? { exitCode: end.code, stdout: end.stdout, stderr: end.stderr }
        : { failed: end.reason }),
      answer,
    })),
    notRun: skipped.map(({ path: file, line, idle }) => ({ path: file, line, reason: idle })),
  }
}

function printTrials(
  io: Io,
  event: HookEvent,
  trials: readonly HookTrial[],
  skipped: readonly Hook[],
  hooks: readonly Hook[],
  project: string,
): void {
  const write = (text: string) => io.stdout.write(text)
  for (const { hook, payload, end, answer } of trials) {
    write(`${cleanLine(`${placeOf(hook, project)} (${hook.dialect})`)}\n`)
    write(`  runs     ${cleanLine(describeHookAction(hook))}\n`)
    write(`  payload  ${cleanLine(JSON.stringify(payload))}\n`)
    if (end.kind === 'failed') write(`  ended    ${cleanLine(end.reason)}\n`)
    else {
      write(`  exit     ${end.code}\n`)
      if (end.stdout.trim() !== '') write(`  stdout   ${indent(end.stdout)}\n`)
      if (end.stderr.trim() !== '') write(`  stderr   ${indent(end.stderr)}\n`)
    }
    write(`  means    ${cleanLine(meaningOf(answer))}\n`)
  }
  for (const hook of skipped) write(`${cleanLine(`${placeOf(hook, project)} does not run: ${hook.idle}`)}\n`)
  if (trials.length === 0)
    write(
      hooks.length === 0 ? `No hooks for ${event} found.\n` : `No hook for ${event} matches this sample.\n`,
    )
  write(`decision: ${strictestDecision(trials)}\n`)
}

function meaningOf({
  decision,
  reason,
  input,
  context,
  blocked,
  content,
  stop,
  notices,
}: HookTrial['answer']): string {
  const parts = [
    decision && `${decision}${reason ? `: ${reason}` : ''}`,
    input && `changed arguments: ${JSON.stringify(input)}`,
    blocked && `blocked: ${blocked}`,
    stop && `ends the session: ${stop}`,
    content && `changed result: ${content}`,
    context && `context: ${context}`,
    ...(notices ?? []).map((notice) => `message to the user: ${notice}`),
  ].filter((part) => part !== undefined && part !== '')
  return parts.length === 0 ? 'no decision' : parts.join(' · ')
}

function indent(text: string): string {
  return cleanText(text.slice(0, 4_000)).trimEnd().replaceAll('\n', '\n           ')
}
