import { cleanLine } from './clean-text.ts'
import type { Style } from './style.ts'
import type { OpenQuestion } from './surface.ts'

/** Questions that wait, and the commands that answer them. `flags` are those a person has to repeat, such as `--home`. */
export function waitingText(
  root: string,
  questions: readonly OpenQuestion[],
  flags: string,
  style: Style,
): string {
  const blocks = questions.map((question) => {
    const [first = 'DECISION'] = question.choices
    return [
      `${style.yellow('?')} ${cleanLine(question.text)}`,
      `  choices: ${question.choices.map(cleanLine).join(', ')}`,
      `  cadre sessions answer ${question.session} ${question.name} ${first}${flags}`,
    ].join('\n')
  })
  return `${blocks.join('\n')}\nThen continue with: cadre resume ${root}${flags}`
}
