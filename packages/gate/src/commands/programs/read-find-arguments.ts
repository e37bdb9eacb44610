import type { Word } from '../line/line.ts'
import type { Arguments } from './arguments.ts'
import { splitWords } from './known-programs.ts'

const testsWithoutValue = splitWords(
  '-daystart -depth -d -mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -true -false -empty -executable -readable -writable -nouser -nogroup -print -print0 -prune -quit -ls -not ! ( ) , -a -o -and -or -help -version --help --version -P -H -O1 -O2 -O3 -nowarn -warn',
)
const testsWithText = splitWords(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -user -group -uid -gid -perm -links -inum -maxdepth -mindepth -lname -ilname -fstype -used -printf -newermt -newerct -newerat',
)
const testsWithPath = /^-(?:newer|anewer|cnewer|samefile|newer[aBcm][aBcm])$/
const starters = splitWords('-exec -execdir -ok -okdir')

/** Parses starting points, then an expression. Actions that start a program, write, or follow links are not listed. */
export function readFindArguments(given: readonly Word[], found: Arguments): void {
  let isExpression = false
  for (let at = 0; at < given.length; at++) {
    const word = given[at] as Word
    const { text } = word
    const isOption = /^-[PH]$|^-O\d$/.test(text)
    if (!isExpression && !isOption && !/^[-(!,)]/.test(text)) {
      found.path(word)
      continue
    }
    isExpression ||= !isOption
    const next = given[at + 1]
    if (testsWithText.has(text)) {
      at++
      // An unquoted pattern expands to file names, and the second one would be a separate expression.
      if (next?.glob !== undefined) found.reject(next.text)
    } else if (testsWithPath.test(text)) {
      at++
      if (next !== undefined) found.path(next)
    } else if (starters.has(text)) {
      found.reject(text)
      const end = given.findIndex((one, index) => index > at && (one.text === ';' || one.text === '+'))
      for (const inner of given.slice(at + 1, end < 0 ? given.length : end)) found.path(inner, true)
      at = end < 0 ? given.length : end
    } else if (!testsWithoutValue.has(text) || word.glob !== undefined) found.reject(text)
  }
}
