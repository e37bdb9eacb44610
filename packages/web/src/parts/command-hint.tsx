import { notify } from '../shell/toasts.ts'
import { withHome } from './home-flag.ts'

/** The command that is equivalent to a button. A click copies it. */
export function CommandHint(props: { readonly command: string }) {
  const command = withHome(props.command)
  const copy = () => {
    navigator.clipboard.writeText(command).then(
      () => notify(`Copied: ${command}`),
      () => notify('The browser did not allow copying. Select the command and copy it.', 'error'),
    )
  }
  return (
    <button type="button" class="command" onClick={copy} title="Copy this command">
      <span class="unseen">Copy the command </span>
      <code>{command}</code>
    </button>
  )
}

/** A command in a sentence. */
export function Command({ line }: { readonly line: string }) {
  return <code>{withHome(line)}</code>
}
