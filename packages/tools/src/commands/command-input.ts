import { withoutArguments } from '../built-in.ts'
import { Refusal } from '../refusal.ts'

// Arguments that explain a call to a reader, or that request fewer restrictions, which the gate decides.
const ignoredArguments = [
  'explanation',
  'description',
  'goal',
  'summary',
  'justification',
  'security_risk',
  'risk_level',
  'is_input',
  'sessionId',
  'shellId',
  'initial_wait',
  'initial_wait_seconds',
  'with_escalated_permissions',
  'sandbox_permissions',
  'dangerouslyDisableSandbox',
  'requireUserApproval',
  'require_user_approval',
]
const background = ['isBackground', 'is_background', 'run_in_background', 'background', 'async', 'detach']
// These use seconds, like this tool; all others use milliseconds.
const secondsSpellings = new Set(['execute_command', 'execute_bash', 'run_command', 'run_commands'])

/** Converts arguments of other dialects' terminal tools to those of this tool. */
export function reshapeCommand(given: Record<string, unknown>, spelling: string): Record<string, unknown> {
  const { mode, timeout_ms, timeoutMs, timeoutSeconds, timeout_seconds, ...rest } = withoutArguments(
    given,
    ignoredArguments,
  )
  const isBehind = background.some((name) => isTrue(rest[name])) || mode === 'async' || mode === 'detached'
  if (isBehind)
    throw new Refusal(
      'commands cannot keep running in the background. Run the command in the foreground, with a timeout if it does not end by itself.',
    )
  const input = withoutArguments(rest, background)
  const command = input['command'] ?? input['cmd']
  if (Array.isArray(command)) {
    delete input['cmd']
    input['command'] = lineOf(command)
  }
  const thousandths =
    timeout_ms ?? timeoutMs ?? (secondsSpellings.has(spelling) ? undefined : input['timeout'])
  const seconds = typeof thousandths === 'number' ? Math.ceil(thousandths / 1_000) : undefined
  const timeout = seconds ?? timeoutSeconds ?? timeout_seconds ?? input['timeout']
  delete input['timeout']
  if (timeout === undefined || timeout === null || timeout === 0) return input
  // Another dialect may have a higher limit, so a long timeout is not an error.
  const isLong = typeof timeout === 'number' && timeout > 600 && !secondsSpellings.has(spelling)
  return { ...input, timeout: isLong ? 600 : timeout }
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}

/** Converts a command given as words. `bash -lc SCRIPT` becomes the script. */
function lineOf(words: readonly unknown[]): string {
  const texts = words.map(String)
  const [program = '', option = '', script] = texts
  if (/^(?:\/usr)?(?:\/bin\/)?(?:ba|z)?sh$/.test(program) && /^-l?c$/.test(option) && texts.length === 3)
    return script ?? ''
  return texts.map(quoteWord).join(' ')
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
