import { VirtualScreen } from '../../../packages/cli/src/output/virtual-screen.spec-helpers.ts'
import { agentFile, createProject, type Project } from './project.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const defaultFlags = ['--model', 'scripted:p.yaml']
export const speaks = { lanes: { '*': { default: { reply: '{{agent}} {{round}} heard <{{last}}>' } } } }
export const up = '\x1b[A'
export const ctrlC = '\x03'
export const ctrlD = '\x04'
export const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`
export const bracketedPaste = (screen: string) =>
  screen.lastIndexOf('\x1b[?2004h') > screen.lastIndexOf('\x1b[?2004l')

/** The visible text, including the scrollback. */
export function shown(output: string, columns = 100): string {
  const drawn = new VirtualScreen(columns, 1000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: only cursor moves within a line and keyboard modes.
  drawn.write(output.replace(/\x1b\[(?!\d*[ABCJKm])[\d;?]*[A-Za-z]/g, ''))
  return drawn.shown().join('\n')
}

/** The lines at the bottom while a message is awaited: the rule, the input line with this text, the status line. */
export function isAsking(text: string, prompt: string): boolean {
  const at = text.lastIndexOf(`\n${prompt}`)
  return at > 0 && /^\n[^\n]*\/help$/.test(text.slice(at + 1 + prompt.length)) && /─$/.test(text.slice(0, at))
}

/** Opens a chat and waits for its prompt. */
export async function open(project: Project, ...flags: string[]): Promise<Terminal> {
  return openAt({ columns: 100, rows: 30 }, project, ['chat', ...defaultFlags, ...flags])
}

/** Like `open`, with another size, other arguments or another environment. */
export async function openAt(
  options: Parameters<typeof openTerminal>[2],
  project: Project,
  args: readonly string[] = ['chat', ...defaultFlags],
): Promise<Terminal> {
  const terminal = openTerminal(project, args, options)
  await terminal.until((screen) => isAsking(shown(screen), `${/(\w+)>\n/.exec(shown(screen))?.[1]}>`))
  return terminal
}

/** Types, and waits until the new text on the screen matches. */
export async function type(terminal: Terminal, keys: string, fits: (text: string) => boolean): Promise<void> {
  const before = shown(terminal.screen())
  terminal.type(keys)
  await terminal.until((screen) => {
    const text = shown(screen)
    let same = 0
    while (same < text.length && text[same] === before[same]) same += 1
    return fits(text.slice(text.lastIndexOf('\n', same - 1) + 1))
  })
}

/** Sends a message, and waits for the answer and the next prompt. */
export function say(terminal: Terminal, keys: string, answer: string, prompt = 'lead'): Promise<void> {
  return type(terminal, keys, (text) => text.includes(answer) && isAsking(`\n${text}`, `${prompt}>`))
}

export function openSpeakingChat(): Project {
  return createProject({ ...agentFile('lead'), 'p.yaml': speaks })
}

/** A key without effect on the text, which the tool below waits for: then all earlier input has arrived. */
export const continueKey = '\x1f'
const hold = `export const hold = { name: 'hold', description: 'x', class: 'read', effect: 'read',
  input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, parameters: { type: 'object' },
  run: (input, context, signal) => new Promise((resolve, reject) => {
    const look = (typed) => {
      if (!String(typed).includes('\\x1f')) return
      process.stdin.off('data', look)
      resolve({ content: 'held' })
    }
    process.stdin.on('data', look)
    signal.addEventListener('abort', () => { process.stdin.off('data', look); reject(new Error('stopped')) })
  }) }`

/** A chat in the middle of a turn, which continues when that key is typed. */
export async function openBusyChat(...steps: object[]): Promise<Terminal> {
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/hold.mjs': hold,
    '.cadre/config.yaml': { tools: ['hold.mjs'] },
    'p.yaml': {
      lanes: {
        lead: {
          steps: [{ calls: [{ tool: 'hold', input: {} }] }, ...steps],
          default: { reply: '{{round}} heard <{{last}}>' },
        },
      },
    },
  })
  const terminal = await open(project, '--trust')
  terminal.type('Work.\r')
  await terminal.until((screen) => shown(screen).includes('round 1 · hold'))
  return terminal
}
