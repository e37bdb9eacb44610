import { useSignal } from '@preact/signals'
import { CommandHint } from '../parts/command-hint.tsx'
import { logInWithToken } from '../store/browser-login.ts'

export function SignedOut({ why }: { readonly why: string | undefined }) {
  const token = useSignal('')
  const fault = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const submit = async () => {
    if (isBusy.peek()) return
    isBusy.value = true
    fault.value = await logInWithToken(token.peek())
    isBusy.value = false
    if (fault.peek() !== undefined) return
    token.value = ''
    // Reloads the page, signed in and with the same address.
    location.reload()
  }
  return (
    <main class="signed-out" data-state="signed-out" id="main">
      <h1>Cadre</h1>
      <p>You are not signed in on this page.{why !== undefined && ` ${why}`}</p>
      <p>To sign in, run this command in the project's folder. It opens a page that is signed in.</p>
      <CommandHint command="cadre open" />
      <form
        class="sign-in"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <p>If you have a token, sign in with it. An administrator can create one with "cadre people add".</p>
        <label for="token">Token</label>
        <div class="sign-in-row">
          <input
            id="token"
            type="password"
            autoComplete="off"
            spellcheck={false}
            aria-describedby={fault.value === undefined ? undefined : 'token-fault'}
            value={token.value}
            onInput={(event) => {
              token.value = event.currentTarget.value
            }}
          />
          <button type="submit" class="primary" disabled={isBusy.value || token.value.trim() === ''}>
            Sign in
          </button>
        </div>
        <p id="token-fault" role="alert">
          {fault.value}
        </p>
      </form>
    </main>
  )
}
