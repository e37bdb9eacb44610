import { spawn } from 'node:child_process'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import { truncateText } from '../output/text-width.ts'

export type NotifySetting = 'auto' | 'off' | 'bell' | 'osc9' | 'osc777' | 'desktop'

/** `waiting`: a decision is needed. `finished`: a long run has ended. */
export type Notification = { readonly kind: 'waiting' | 'finished'; readonly text: string }

const maxTextLength = 120

/**
 * Notifies a user. Does nothing if standard output is not a terminal. Model text is cleaned, so that it cannot end the
 * sequence and control the terminal.
 */
export function createNotifier(io: Io): (setting: NotifySetting, notification: Notification) => void {
  return (setting, { kind, text }) => {
    if (!io.stdout.isTTY || io.env['TERM'] === 'dumb') return
    const way = setting === 'auto' ? notificationMethod(io.env) : setting
    const body = truncateText(cleanLine(text).replaceAll(';', ','), maxTextLength)
    // A bell does not show what happened, so by default it is used only for decisions.
    if (way === 'bell' && (setting === 'bell' || kind === 'waiting')) io.stdout.write('\x07')
    if (way === 'osc9') io.stdout.write(wrapForTmux(`\x1b]9;Cadre: ${body}\x07`, io.env))
    if (way === 'osc777') io.stdout.write(wrapForTmux(`\x1b]777;notify;Cadre;${body}\x07`, io.env))
    if (way === 'desktop') notifyDesktop(body)
  }
}

/** The notification method of the terminal. The bell, which every terminal supports, for all others and inside tmux and screen. */
function notificationMethod(env: NodeJS.ProcessEnv): NotifySetting {
  const { TERM = '', TERM_PROGRAM = '', TMUX, STY, KITTY_WINDOW_ID } = env
  if (TMUX !== undefined || STY !== undefined) return 'bell'
  if (/^(iTerm\.app|WezTerm|ghostty)$/i.test(TERM_PROGRAM)) return 'osc9'
  if (KITTY_WINDOW_ID !== undefined || TERM === 'xterm-kitty' || TERM === 'xterm-ghostty') return 'osc9'
  return /^(foot|rxvt-unicode)/.test(TERM) ? 'osc777' : 'bell'
}

/** tmux passes a wrapped sequence to the terminal, if `allow-passthrough` is on. */
function wrapForTmux(sequence: string, env: NodeJS.ProcessEnv): string {
  return env['TMUX'] === undefined ? sequence : `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`
}

function notifyDesktop(body: string): void {
  const [program, args] =
    process.platform === 'darwin'
      ? (['osascript', ['-e', `display notification ${JSON.stringify(body)} with title "Cadre"`]] as const)
      : (['notify-send', ['--app-name=Cadre', '--', 'Cadre', body]] as const)
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  // Without the program there is no notification, which is harmless.
  child.on('error', () => {})
  child.unref()
}
