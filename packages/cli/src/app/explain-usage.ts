import { nearest } from '@cadre/core'
import {
  type ApplicationText,
  ArgumentScannerError,
  formatMessageForArgumentScannerError,
} from '@stricli/core'

/** Commands that list the possible values of an argument. */
const lists = {
  session: 'cadre sessions list',
  approval: 'cadre approvals',
  agent: 'cadre agents list',
}

/** Usage errors in Cadre's own wording. */
export const explainUsage: Pick<
  ApplicationText,
  'noCommandRegisteredForInput' | 'exceptionWhileParsingArguments'
> = {
  noCommandRegisteredForInput({ input, corrections }) {
    const names = corrections.map((name) => name.replaceAll('`', '')).join(', ')
    return `unknown command ${JSON.stringify(input)}${names === '' ? '' : `. Did you mean ${names}?`}`
  },
  exceptionWhileParsingArguments(error) {
    if (!(error instanceof ArgumentScannerError)) return String(error)
    return formatMessageForArgumentScannerError(error, {
      FlagNotFoundError: ({ input, corrections }) => {
        // The parser also proposes flags that only have the same length, such as --trust for --yes.
        const close = nearest(input, corrections.map(kebab)).map((name) => `--${name}`)
        return `unknown flag --${input}${close.length === 0 ? '' : `. Did you mean ${close.join(', ')}?`}`
      },
      AliasNotFoundError: ({ input }) => `unknown flag -${input}`,
      ArgumentParseError: ({ externalFlagNameOrPlaceholder, input, exception }) =>
        `--${externalFlagNameOrPlaceholder} ${exception instanceof Error ? exception.message : String(exception)}, not ${JSON.stringify(input)}`,
      EnumValidationError: ({ externalFlagName, input, values }) =>
        `--${externalFlagName} must be one of ${values.join(', ')}, not ${JSON.stringify(input)}`,
      UnsatisfiedFlagError: ({ externalFlagName }) => `--${externalFlagName} requires a value`,
      UnexpectedFlagError: ({ externalFlagName, previousInput, input }) =>
        `--${externalFlagName} was passed twice: ${JSON.stringify(previousInput)} and ${JSON.stringify(input)}`,
      UnexpectedPositionalError: ({ input, expectedCount }) =>
        `unexpected argument ${JSON.stringify(input)}: the command takes ${expectedCount === 0 ? 'no arguments' : `at most ${expectedCount}`}`,
      UnsatisfiedPositionalError: ({ placeholder }) =>
        `missing argument <${placeholder}>${Object.hasOwn(lists, placeholder) ? `. List them with "${lists[placeholder as keyof typeof lists]}"` : ''}`,
      InvalidNegatedFlagSyntaxError: ({ externalFlagName }) => `--${externalFlagName} takes no value`,
    })
  },
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
