import { glob, type Matcher } from './glob.ts'

interface IgnoreRule {
  readonly matches: Matcher
  readonly negated: boolean
  readonly onlyFolders: boolean
}

/** The rules of one `.gitignore`; paths are relative to its folder. `undefined`: it says nothing about this path. */
export function ignoreRules(text: string): (path: string, isFolder: boolean) => boolean | undefined {
  const rules = text.split(/\r?\n/).flatMap(ruleOf)
  return (path, isFolder) => {
    const rule = rules.findLast((rule) => (isFolder || !rule.onlyFolders) && rule.matches(path))
    return rule === undefined ? undefined : !rule.negated
  }
}

function ruleOf(line: string): IgnoreRule[] {
  const trimmed = line.replace(/(?<!\\)[ \t]+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return []
  const negated = trimmed.startsWith('!')
  const onlyFolders = trimmed.endsWith('/')
  const pattern = trimmed.slice(negated ? 1 : 0, onlyFolders ? -1 : undefined)
  // A slash at the beginning or in the middle ties a rule to its folder. Braces are plain letters here.
  const body = pattern.replace(/[{}]/g, '?')
  const matches = glob(body)
  return matches === undefined ? [] : [{ matches, negated, onlyFolders }]
}
