import { execFile } from 'node:child_process'
import { type Check, fail, ok, warn } from './check.ts'

const timeout = 5000

/** Checks the required programs. */
export async function checkPrograms(): Promise<Check[]> {
  return [checkNode(process.versions.node), await checkGit(), await checkRipgrep()]
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return ok('node', `Node ${version}`)
  return fail('node', `Node ${version} is too old`, 'Install Node 20.19 or newer.')
}

function checkGit(): Promise<Check> {
  return new Promise((resolve) => {
    execFile('git', ['--version'], { timeout }, (error, stdout) => {
      resolve(
        error === null ? ok('git', stdout.trim()) : fail('git', 'cannot run "git --version"', 'Install git.'),
      )
    })
  })
}

async function checkRipgrep(): Promise<Check> {
  const { locateRipgrep } = await import('@cadre/tools')
  const program = await locateRipgrep()
  if (program !== undefined) return ok('ripgrep', program)
  return warn(
    'ripgrep',
    'not installed for this platform; search works, but is slower',
    'Run "npm install @vscode/ripgrep".',
  )
}
