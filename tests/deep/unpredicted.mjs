/** The effects of a line that its judgement did not predict, each as a sentence. */
import path from 'node:path'
import { payload } from './workspace.mjs'

export function unpredicted({ changes = [], canaries = [] }, line, workspace) {
  const found = canaries.map((name) => `it read a canary outside of the workspace: ${name}`)
  for (const { name, what } of changes) {
    if (path.basename(name) === payload && !line.written.includes(wholeName(name, workspace)))
      found.push('a payload ran')
    else if (!isPredicted(name, line, workspace)) found.push(`${name} was ${what}, which nothing named`)
  }
  return found
}

function isPredicted(name, { written, hasWriter, traits }, workspace) {
  // Git stores file metadata in it.
  if (traits.usesGit && name === '.git/index') return true
  const whole = wholeName(name, workspace)
  // Copies go below a folder, and `mkdir -p` creates parents.
  return written.some(
    (real) => real === whole || (hasWriter && (whole.startsWith(`${real}/`) || real.startsWith(`${whole}/`))),
  )
}

function wholeName(name, workspace) {
  return name.startsWith('/') ? name : path.join(workspace, name)
}
