import { CadreError, didYouMean } from '@cadre/core'
import { wrapSpans } from '../../output/markdown/wrap-spans.ts'
import type { Chat } from './chat.ts'
import { agentCommands } from './commands/agent-commands.ts'
import { sessionCommands } from './commands/session-commands.ts'
import { settingCommands } from './commands/setting-commands.ts'
import { undoCommands } from './commands/undo-commands.ts'
import { workCommands } from './commands/work-commands.ts'
import { promptCommands } from './prompt-files.ts'

/** A command of the chat. To add one, add it to a list in `commands/`, or to `Chat.commands` of one chat. */
export interface ChatCommand {
  /** Without the slash, in lower case. */
  readonly name: string
  /** Its argument, as shown in the help. */
  readonly argument?: string
  readonly about: string
  /** `rest` is the text after the name. A `CadreError` is shown, and the chat continues. */
  run(chat: Chat, rest: string): void | Promise<void>
}

export const builtInCommands: readonly ChatCommand[] = [
  { name: 'help', about: 'list the commands and keys', run: (chat) => chat.output.note(helpText(chat)) },
  ...agentCommands,
  ...sessionCommands,
  ...settingCommands,
  ...workCommands,
  ...undoCommands,
  {
    name: 'quit',
    about: 'exit; same as Ctrl-D',
    run(chat) {
      chat.isLeft = true
    },
  },
]

/** Returns the commands of a chat and the current prompt files. A prompt file cannot have the name of a command. */
export function allCommands({
  commands,
  runtime,
}: Pick<Chat, 'commands' | 'runtime'>): readonly ChatCommand[] {
  const taken = new Set(commands.map(({ name }) => name))
  return [...commands, ...promptCommands(runtime).filter(({ name }) => !taken.has(name))]
}

export async function runCommand(chat: Chat, name: string, rest: string): Promise<void> {
  const commands = allCommands(chat)
  const command = commands.find((candidate) => candidate.name === name)
  if (command !== undefined) return command.run(chat, rest)
  const names = commands.map((candidate) => candidate.name)
  const hint = didYouMean(name, names) || '.'
  throw new CadreError(
    'usage',
    `unknown command /${name}${hint} List the commands with /help. To send a message that starts with a slash, type //.`,
  )
}

const keys: readonly (readonly [key: string, does: string])[] = [
  ['Enter', 'send the message; agents that are working receive it with their next request'],
  ['Esc', 'while agents work: interrupt the reply and deliver your text; without text, stop'],
  ['Ctrl-C', 'stop the running agents; at the prompt, clear the line (press twice on an empty line to exit)'],
  ['Tab', 'complete commands, @agents and @files; the arrow keys select a suggestion'],
  ['Ctrl-O', 'show hidden output, most recent first'],
  ['\\ or Alt-Enter', 'continue on the next line'],
]

function helpText(chat: Chat): string {
  const { screen, drive } = chat
  const rows: (readonly [string, string])[] = [
    ...allCommands(chat).map(
      ({ name, argument, about }) =>
        [`/${name}${argument === undefined ? '' : ` ${argument}`}`, about] as const,
    ),
    ['@NAME …', 'switch to that agent; it sees the conversation so far'],
    ['1, 2, …', 'accept the handoff with this number'],
    ...(screen === undefined
      ? []
      : ([
          ['… @FILE …', 'attach a file or an image that the agent may read'],
          ['!COMMAND', 'run a shell command yourself; the agent sees its output with your next message'],
          ['', ''],
          ...keys,
        ] as const)),
  ]
  const width = Math.max(...rows.map(([what]) => what.length)) + 4
  const { isTTY, stream } = drive.stdout
  const columns = isTTY ? (stream.columns || 80) - 1 : 120
  const room = Math.max(20, columns - width)
  const lines = rows.flatMap(([what, about]) =>
    wrapSpans([{ text: about, marks: [] }], room, drive.style).map((line, index) =>
      `${(index === 0 ? `  ${what}` : '').padEnd(width)}${line}`.trimEnd(),
    ),
  )
  return [...lines, '', ...wrapSpans([{ text: moreHelp, marks: [] }], columns, drive.style)].join('\n')
}

const moreHelp = `Pasted text is one message. Type // to send a message that starts with a slash, \\@ for one that starts with an @, \\! for one that starts with an exclamation mark. Messages that start with a space are not saved to the history.`
