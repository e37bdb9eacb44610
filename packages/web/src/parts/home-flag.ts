import { signal } from '@preact/signals'
import { shellWord } from './shell-word.ts'

/** The value for `--home`, if a command would find another home without it. Set when the server has said who is logged in. */
export const homeFlag = signal<string | undefined>(undefined)

/** The command for the home of this page. Commands of other programs stay as they are. */
export function withHome(command: string): string {
  const home = homeFlag.value
  return home === undefined || !command.startsWith('cadre ')
    ? command
    : `${command} --home ${shellWord(home)}`
}
