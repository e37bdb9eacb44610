/** The flag of `git init` for the object format of a repository with this commit. */
export function formatOf(commit: string): readonly string[] {
  return commit.length === 64 ? ['--object-format=sha256'] : []
}
