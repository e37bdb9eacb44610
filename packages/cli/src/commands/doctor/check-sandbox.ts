import { type Check, ok, warn } from './check.ts'

/** What keeps commands from the rest of the machine. */
export async function checkSandbox(env: NodeJS.ProcessEnv): Promise<Check> {
  const { findSandbox } = await import('@cadre/gate')
  const sandbox = await findSandbox(env)
  if (sandbox.kind === 'bubblewrap')
    return ok(
      'sandbox',
      `commands run under bubblewrap (${sandbox.program}): they write the workspace and nothing else`,
    )
  return warn(
    'sandbox',
    `commands run without one: ${sandbox.reason}. Only listed readers and your own rules run without a question, and Cadre undoes changes to protected files`,
    process.platform === 'linux'
      ? 'Install bubblewrap (apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap); if it is there, permit unprivileged user namespaces.'
      : undefined,
  )
}
