import { type Home, isUnsandboxedCommandRunning } from '@cadre/home'
import { HttpProblem } from '../problem.ts'

/** Throws 423 while a command is running without a sandbox. It could have sent the request to give itself a role or an approval. */
export function rejectUnsandboxed(home: Home): void {
  if (isUnsandboxedCommandRunning(home))
    throw new HttpProblem(
      423,
      'A command is running without a sandbox and could have sent this request. Retry when it has ended.',
      { code: 'owned' },
    )
}
