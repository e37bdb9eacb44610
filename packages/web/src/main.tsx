import { createClient } from '@cadre/api'
import { render } from 'preact'
import { App } from './shell/app.tsx'
import { startRouter } from './shell/navigate.ts'
import { notify } from './shell/toasts.ts'
import { startKeys } from './shell/use-commands.ts'
import { AppContext } from './store/app-context.ts'
import { logIn, storedKey } from './store/browser-login.ts'
import { createStore } from './store/create-store.ts'

const client = createClient({ address: '', key: storedKey })
const store = createStore({
  client,
  // A hidden page does not render frames, and must not let rows accumulate.
  schedule: (flush) => {
    if (document.hidden) setTimeout(flush, 250)
    else requestAnimationFrame(flush)
  },
  whenLookedAt: (signal) =>
    new Promise((resolve) => {
      const options = { once: true, signal }
      addEventListener('focus', () => resolve(), options)
      addEventListener('pointerdown', () => resolve(), options)
      addEventListener('keydown', () => resolve(), options)
      signal.addEventListener('abort', () => resolve(), { once: true })
    }),
  pause: () => new Promise((resolve) => setTimeout(resolve, 2000)),
})

const loginError = await logIn(client)
startRouter()
startKeys()
if (storedKey() === undefined) store.connection.value = { state: 'signed-out' }
else {
  store.start()
  // The page may still be signed in with another link.
  if (loginError !== undefined) notify(loginError, 'error')
}
render(
  <AppContext value={store}>
    <App loginError={loginError} />
  </AppContext>,
  document.getElementById('app') as HTMLElement,
)
