import { commands } from './commands.ts'

/** The top-level help. It needs no parser, so it is fast. */
export function helpText(): string {
  const names = Object.keys(commands)
  const width = Math.max(...names.map((name) => name.length))
  const lines = Object.entries(commands).map(([name, brief]) => `  ${name.padEnd(width)}  ${brief}`)
  return `Cadre runs teams of coding agents that people can inspect, stop and trust.

USAGE
  cadre                                 in a terminal: same as "cadre chat"
  cadre <command> [flags] [arguments]
  cadre <command> --help

COMMANDS
${lines.join('\n')}

EXAMPLES
  cadre demo
  cadre run "Add rate limiting to the API and prove it works"
  cadre run --team supervisor "Make the tests faster"
  cadre run --model openai:gpt-5 --json "List the TODOs" | tail -1
  cadre chat --resume
  cadre sessions tree
  cadre resume lead-4k2

EXIT CODES
  0 done · 1 failed · 2 usage or configuration · 3 waiting for a decision · 4 denied by a policy · 5 backend
  6 owned by another process · 70 bug · 130 cancelled
`
}
