import { answerCommands } from './answer-commands.ts'
import { cleanLine } from './clean-text.ts'
import type { Style } from './style.ts'
import type { OpenQuestion } from './surface.ts'

/** Questions that wait, and the commands that answer them, with the flags a person has to repeat, such as `--home`. */
export function waitingText(
  root: string,
  questions: readonly OpenQuestion[],
  { flags, resumed }: { readonly flags: string; readonly resumed: string },
  style: Style,
): string {
  const blocks = questions.map((question) => {
    const commands = answerCommands(question.approval, question.choices.includes('again'), flags)
    return [
      `${style.yellow('?')} ${cleanLine(question.text)}`,
      ...commands.map((command) => `  ${command}`),
    ].join('\n')
  })
  return `${blocks.join('\n')}\nThen continue with: cadre resume ${root}${resumed}`
}
