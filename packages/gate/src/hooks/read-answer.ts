import { isObject, type JsonObject, messageOf } from '@cadre/core'
import type { Hook } from './hook.ts'
import { readOutput, truncate } from './read-output.ts'
import type { HookEnd } from './run-hook.ts'

/** The answer of a hook, in any dialect. */
export interface HookAnswer {
  /** For PreToolUse and PermissionRequest. */
  readonly decision?: 'allow' | 'ask' | 'deny'
  readonly reason?: string
  /** Arguments, with the names of the dialect. */
  readonly input?: JsonObject
  /** For the model. */
  readonly context?: string
  /** Why the prompt is rejected, the result is bad, or the session must not end. */
  readonly blocked?: string
  /** Replaces the result of the tool. */
  readonly content?: string
  /** Why the session ends. */
  readonly stop?: string
  /** For the person. */
  readonly notices?: readonly string[]
}

type Judged = Pick<Hook, 'event' | 'dialect'>

const cannotStart = new Set([126, 127])

/**
 * Interprets the end of a hook by the rules of its dialect. PreToolUse denies if the answer of the hook is unknown; all
 * other events continue, with a notice.
 */
export function readAnswer(hook: Judged, end: HookEnd): HookAnswer {
  if (end.kind === 'failed') return unknown(hook, end.reason)
  const { code, stdout, stderr } = end
  if (hook.dialect === 'claude' && isAsync(stdout)) return {}
  const said = truncate(stderr.trim())
  if (code === 0) return readPrinted(hook, stdout)
  if (cannotStart.has(code))
    return unknown(hook, `the hook did not start (exit code ${code})${said && `: ${said}`}`)
  // The exit code that a shell reports for a program killed by a signal.
  if (code > 128 && code <= 192)
    return unknown(hook, `the hook was killed by signal ${code - 128}${said && `: ${said}`}`)
  if (code === 2) return blocking(hook, stdout, said)
  const failure = `the hook failed with exit code ${code}${said && `: ${said}`}`
  return hook.dialect === 'copilot' ? unknown(hook, failure) : { notices: [failure] }
}

/** `{"async": true}` on the first line: the hook keeps running in the background, and its result decides nothing. */
function isAsync(stdout: string): boolean {
  const [line = ''] = stdout.trimStart().split('\n', 1)
  if (!line.includes('"async"')) return false
  try {
    const said: unknown = JSON.parse(line)
    return isObject(said) && said['async'] === true
  } catch {
    return false
  }
}

function unknown({ event }: Judged, reason: string): HookAnswer {
  return event === 'PreToolUse' ? { decision: 'deny', reason } : { notices: [reason] }
}

/** Exit code 2 exists in every host, with a different meaning in each. */
function blocking(hook: Judged, stdout: string, said: string): HookAnswer {
  const { event, dialect } = hook
  const reason = said || 'a hook exited with code 2 and gave no reason'
  const isCopilot = dialect === 'copilot'
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest': {
      // The Copilot CLI keeps the output except for the decision; Claude Code and VS Code ignore it.
      const printed = isCopilot ? readPrinted(hook, stdout) : {}
      const { decision: _, input: __, ...rest } = printed
      return { ...rest, decision: 'deny', reason: printed.reason ?? reason }
    }
    case 'PostToolUseFailure':
      if (isCopilot) return stdout.trim() === '' ? {} : { context: truncate(stdout.trim()) }
      return { blocked: reason }
    case 'PostToolUse':
    case 'UserPromptSubmit':
    case 'Stop':
    case 'SubagentStop':
      return isCopilot ? { notices: [reason] } : { blocked: reason }
    default:
      return dialect === 'vscode' && (event === 'SessionStart' || event === 'SubagentStart')
        ? {}
        : { notices: [reason] }
  }
}

function readPrinted(hook: Judged, stdout: string): HookAnswer {
  const text = withoutProgress(stdout).trim()
  if (text === '') return {}
  if (!text.startsWith('{')) return plainText(hook, text)
  let output: unknown
  try {
    output = JSON.parse(text)
  } catch (error) {
    const why = messageOf(error)
    return unknown(hook, `the hook printed invalid JSON: ${truncate(why)}`)
  }
  return isObject(output)
    ? readOutput(hook, output)
    : unknown(hook, 'the hook printed JSON that is not an object')
}

/** Claude Code shows it to the model at the start of a session and with a prompt; the others ignore it. */
function plainText({ event, dialect }: Judged, text: string): HookAnswer {
  if (dialect === 'claude' && (event === 'SessionStart' || event === 'UserPromptSubmit'))
    return { context: truncate(text) }
  return dialect === 'vscode'
    ? { notices: [`the hook printed text that is not JSON: ${truncate(text, 200)}`] }
    : {}
}

/** Removes lines that only report progress. */
function withoutProgress(stdout: string): string {
  if (!stdout.includes('progress')) return stdout
  return stdout
    .split('\n')
    .filter((line) => {
      const text = line.trim()
      if (!text.startsWith('{') || !text.endsWith('}') || !text.includes('progress')) return true
      try {
        const value: unknown = JSON.parse(text)
        return !isObject(value) || value['type'] !== 'progress'
      } catch {
        return true
      }
    })
    .join('\n')
}
