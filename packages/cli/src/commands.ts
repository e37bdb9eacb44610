/** The commands of the first level, in the order of the help. One list for the help and for the parser. */
export const commands = {
  run: 'Have an agent do a piece of work, and show the tree of agents while it goes on',
  resume: 'Continue a session; short for `cadre sessions resume`',
  sessions: 'Look at runs, past and present, continue them, stop them, answer their questions',
  demo: 'A team at work, offline, on a scripted model, in a folder of its own',
  doctor: 'What is installed, configured and reachable, and what to do about the rest',
} as const

export const sessionCommands: readonly string[] = ['list', 'show', 'tree', 'resume', 'cancel', 'answer']
