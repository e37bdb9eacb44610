/** The commands that have a default subcommand. */
const defaults: Readonly<Record<string, string>> = {
  agents: 'list',
  sessions: 'list',
  people: 'list',
  mcp: 'serve',
}

/** Adds the default subcommand to a command without one: `mcp --http` means `mcp serve --http`. */
export function withDefaultCommand(args: readonly string[]): readonly string[] {
  const [first = '', second = ''] = args
  const isHelp = /^(?:--help(?:-all|All)?|-h|-H)$/.test(second)
  const isBare = second === '' || (second.startsWith('-') && !isHelp)
  const command = Object.hasOwn(defaults, first) ? defaults[first] : undefined
  return command !== undefined && isBare ? [first, command, ...args.slice(1)] : args
}
