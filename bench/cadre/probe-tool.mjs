// The workers' tool, as a user would provide it: a module that config.yaml names.
import { defineTool, number, object } from 'cadre'

export const tools = [
  defineTool({
    name: 'probe',
    description: 'probe',
    class: 'execute',
    effect: 'execute',
    input: object({ i: number('number') }),
    run: () => Promise.resolve({ content: 'probe ok' }),
  }),
]
