const agents = 'packages/agents/src'
const read = [`${agents}/load/read-agent-text.test.ts`, `${agents}/load/read-definition.test.ts`]
const loaded = [`${agents}/load/load-agents.test.ts`]

/** Agent files: whatever cannot be read grants nothing. */
export const agentMutants = {
  tests: read,
  rows: [
    [
      'an agent whose denied tools cannot be read gets all tools',
      `${agents}/keys/read-tools.ts`,
      "tools: isUnclear ? { kind: 'list', names: [] } : selectionOf(selected)",
      'tools: selectionOf(selected)',
    ],
    [
      'a list of tools that cannot be read is all tools',
      `${agents}/keys/tool-list.ts`,
      "'Write tools: [read, search], or remove the key to allow all tools.',\n  )\n  return noTools",
      "'Write tools: [read, search], or remove the key to allow all tools.',\n  )\n  return { ...noTools, names: 'all' }",
    ],
    [
      'of several lists of tools, the last one applies',
      `${agents}/keys/read-tools.ts`,
      'names: first.filter((name) => others.every((names) => names.includes(name)))',
      'names: others.at(-1) ?? first',
    ],
    [
      'a restriction with a misspelt key is ignored',
      `${agents}/header/find-unread-restrictions.ts`,
      'restricts !== undefined && !present.has(key) && kinds.includes(restricts))',
      'restricts !== undefined && false)',
    ],
    [
      'a misspelt action of a permission allows',
      `${agents}/keys/read-permission.ts`,
      "return { tool, pattern, action: 'deny' }\n}",
      "return { tool, pattern, action: 'allow' }\n}",
    ],
    [
      'an agent delegates to all that any of its lists names',
      `${agents}/keys/read-targets.ts`,
      'const names = a.names.filter((name) => wanted.has(nameKey(name)))',
      'const names = [...new Set([...a.names, ...b.names])]',
    ],
    [
      'an agent with fewer restrictions replaces an unusable one',
      `${agents}/load/combine-agents.ts`,
      'if (broken !== undefined && broken.level > definition.level) used.set(key, broken)',
      '',
      loaded,
    ],
    [
      'a link in a repository brings an agent from outside',
      `${agents}/load/find-agent-files.ts`,
      'outside.push(at)\n  return true',
      'outside.push(at)\n  return false',
      loaded,
    ],
    [
      'lint --fix overwrites a change by another program',
      `${agents}/lint/fix/write-fixed-file.ts`,
      'if (!readFileSync(target).equals(before)) {',
      'if (false) {',
      [`${agents}/lint/fix/write-fixed-file.test.ts`],
    ],
    [
      'an export writes through a link',
      `${agents}/write/place-files.ts`,
      'if (real === undefined || !isInside(realOf(path.resolve(folder)) ?? folder, real))',
      'if (false)',
      [`${agents}/write/place-files.test.ts`],
    ],
  ],
}
