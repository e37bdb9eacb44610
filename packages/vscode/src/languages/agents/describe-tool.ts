import type { ToolMeaning } from '@cadre/core'
import { capital } from '../../capital.ts'

const classes: Readonly<Record<string, string>> = {
  read: 'all read-only tools',
  search: 'all search tools',
  edit: 'all tools that change files',
  execute: 'all tools that run commands',
  agent: 'all tools that delegate to other agents',
  web: 'all tools that read from the web',
  todo: 'all tools for to-do lists',
  task: 'all tools for task files',
  message: 'all tools that send messages to other agents',
}

/** Describes what a name in a list of tools grants, in one sentence. `classOf` returns the class of a Cadre tool. */
export function describeTool(
  name: string,
  meaning: ToolMeaning,
  classOf: (tool: string) => string | undefined,
): string {
  switch (meaning.kind) {
    case 'all':
      return 'All tools.'
    case 'class':
      return `${capital(classes[meaning.class] ?? `all tools in the class ${meaning.class}`)}.`
    case 'tools': {
      const one = meaning.names.map((tool) => {
        const of = classOf(tool)
        return `\`${tool}\`${of === undefined ? '' : ` (${effects[of] ?? of})`}`
      })
      return `Cadre's ${meaning.names.length === 1 ? 'tool' : 'tools'} ${one.join(', ')}.`
    }
    case 'server':
      return meaning.tool === undefined
        ? `All tools from the MCP server or extension \`${plain(meaning.server)}\`.`
        : `The tool \`${plain(meaning.tool)}\` from the MCP server or extension \`${plain(meaning.server)}\`.`
    case 'elsewhere':
      return `A tool from ${meaning.host}. Cadre has no equivalent, so this name grants nothing when Cadre runs the agent.`
    case 'unknown':
      return `There is no tool named \`${plain(name)}\`, so this name grants nothing.`
  }
}

const effects: Readonly<Record<string, string>> = {
  read: 'reads',
  search: 'searches',
  edit: 'changes files',
  execute: 'runs commands',
  agent: 'delegates to other agents',
  web: 'reads from the web',
  todo: 'keeps a to-do list',
  task: 'works on task files',
  message: 'sends messages to other agents',
}

/** Names in a file are text, so backticks are removed. */
function plain(text: string): string {
  return text.replaceAll(/[`\r\n]/g, ' ').slice(0, 100)
}
