/** The commands of the first level, in the order of the help. One list for the help and for the parser. */
export const commands = {
  run: 'Have an agent do a piece of work, and show the tree of agents while it goes on',
  chat: 'Talk with an agent and its team, and hand over from one agent to another',
  resume: 'Continue a session; short for `cadre sessions resume`',
  sessions: 'Look at runs, past and present, continue them, stop them, answer their questions',
  init: 'Write a ready team of agents into a project',
  agents:
    'The agents that can be used here, what each may really do, and how to take them to another dialect',
  lint: 'What is wrong with agent files, what each host would make of them, and --fix for what is safe',
  demo: 'A team at work, offline, on a scripted model, in a folder of its own',
  doctor: 'What is installed, configured and reachable, and what to do about the rest',
} as const

export const sessionCommands: readonly string[] = ['list', 'show', 'tree', 'resume', 'cancel', 'answer']

export const agentCommands: readonly string[] = ['list', 'show', 'import', 'export']
