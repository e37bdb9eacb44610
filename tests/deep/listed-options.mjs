/** The options that the gate lists for programs and git, as the gate itself parses them. */
export async function listedOptions(gate) {
  const [{ readOnlyPrograms }, git, { readSpec }] = await Promise.all(
    ['readers.js', 'git-commands.js', 'spec.js'].map(
      (file) => import(`${gate}/dist/commands/programs/${file}`),
    ),
  )
  const read = (lists) => new Map(Object.entries(lists).map(([name, spec]) => [name, readSpec(spec)]))
  const gitLists = read({ ...git.gitReaders, ...git.gitSubReaders })
  for (const [name, spec] of read(git.gitWriters)) if (!gitLists.has(name)) gitLists.set(name, spec)
  const everyday = 'cat head tail wc sort uniq grep sed awk cut tr ls jq diff'.split(' ')
  const rare = read(readOnlyPrograms)
  return {
    programs: rare,
    git: gitLists,
    gitNames: [...gitLists.keys()],
    names: [...rare.keys(), ...everyday, ...everyday, ...Array(6).fill('find'), ...Array(10).fill('git')],
  }
}
