import { readFileSync, statSync } from 'node:fs'
import { CadreError, messageOf } from '@cadre/core'
import { type CompiledPlaybook, compilePlaybook } from './compile-playbook.ts'
import { parseYaml } from './parse-yaml.ts'

interface Read {
  readonly stamp: string
  readonly playbook: Promise<CompiledPlaybook>
}

/**
 * Reads playbooks from files. Each is parsed once: later requests cost one `stat`, and a changed file applies from the next
 * session. Undefined if there is no such file.
 */
export function createPlaybookReader(): (path: string) => Promise<CompiledPlaybook | undefined> {
  const known = new Map<string, Read>()
  return async (path) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || stat.isDirectory()) return undefined
    const stamp = `${stat.ino}:${stat.size}:${stat.mtimeMs}`
    let read = known.get(path)
    if (read?.stamp !== stamp) {
      read = { stamp, playbook: parse(path) }
      known.set(path, read)
    }
    return read.playbook
  }
}

async function parse(path: string): Promise<CompiledPlaybook> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new CadreError('configuration', `cannot read the playbook: ${messageOf(error)}.`, {
      where: path,
      cause: error,
    })
  }
  const { value, origin } = await parseYaml(text, path)
  return compilePlaybook(value, origin)
}
