import { beforeEach, expect, it, vi } from 'vitest'

type Token = { readonly onCancellationRequested: (listener: () => void) => void }

// The parts of VS Code that the file uses, which exist only in its extension host.
const host = vi.hoisted(() => ({
  shown: [] as object[],
  answers: [] as unknown[],
  opened: [] as unknown[],
}))
vi.mock('vscode', () => {
  class CancellationTokenSource {
    readonly listeners: (() => void)[] = []
    readonly token = { onCancellationRequested: (listener: () => void) => void this.listeners.push(listener) }
    cancel() {
      for (const listener of this.listeners) listener()
    }
    dispose() {}
  }
  /** `never`: the person does not answer, and the box closes with the token. */
  const answered = (token?: Token) => {
    const answer = host.answers.shift()
    if (answer !== 'never') return Promise.resolve(answer)
    return new Promise((resolve) => token?.onCancellationRequested(() => resolve(undefined)))
  }
  return {
    CancellationTokenSource,
    env: { openExternal: async (url: unknown) => host.opened.push(url) > 0 },
    window: {
      showWarningMessage: (message: string, { detail }: { detail: string }, ...buttons: string[]) => {
        host.shown.push({ message, detail, buttons })
        return answered()
      },
      showInputBox: (
        {
          title,
          prompt,
          validateInput,
        }: { title: string; prompt: string; validateInput: (text: string) => unknown },
        token: Token,
      ) => {
        const faults = ['', 'x', '4'].map((text) => validateInput(text))
        host.shown.push({ title, prompt, faults })
        return answered(token)
      },
      showQuickPick: async (
        items: { label: string }[],
        { title, placeHolder }: { title: string; placeHolder: string },
        token: Token,
      ) => {
        host.shown.push({ title, placeHolder, labels: items.map(({ label }) => label) })
        const picked = await answered(token)
        return items.find(({ label }) => label === picked)
      },
    },
  }
})
// Other test files have loaded these with their own VS Code mock.
vi.resetModules()
const { createElicitInWindow } = await import('./elicit-in-window.ts')
beforeEach(() => {
  for (const list of [host.shown, host.answers, host.opened]) list.length = 0
})

const callers = [{ session: 's', agent: 'lead', call: 'c' }]
const never = new AbortController().signal
const form = (message: string, properties: object = {}, required: string[] = Object.keys(properties)) => ({
  ...{ server: 'calc', message, callers },
  asks: { schema: { type: 'object', properties, required } },
})
const title = 'The MCP server calc asks, during a call by lead'

it('asks for each field, with the names of the server and the agent', async () => {
  host.answers.push('4', 'Yes', 'Skip')
  const fields = {
    count: { type: 'integer', title: 'How [many](command:evil)?' },
    sure: { type: 'boolean' },
    to: { enum: ['dev', 'prod'] },
  }
  const answer = await createElicitInWindow()(form('Deploy?', fields, ['count', 'sure']), never)
  expect(answer).toEqual({ action: 'accept', content: { count: 4, sure: true } })
  expect(host.shown).toEqual([
    {
      title: `${title} (1 of 3)`,
      prompt: expect.stringContaining('Deploy? – How [many] (command:evil)?'),
      faults: ['Enter a value, or press Escape.', 'This is not an integer.', undefined],
    },
    { title: `${title} (2 of 3)`, placeHolder: 'Deploy? – sure', labels: ['Yes', 'No', 'Decline'] },
    { title: `${title} (3 of 3)`, placeHolder: 'Deploy? – to', labels: ['dev', 'prod', 'Skip'] },
  ])
})

it('shows a long question, and one without fields, in a dialog first', async () => {
  host.answers.push('Decline', 'Answer', undefined)
  const elicit = createElicitInWindow()
  expect(await elicit(form('x'.repeat(300), { a: { type: 'string' } }), never)).toEqual({ action: 'decline' })
  expect(await elicit(form('Go on?'), never)).toEqual({ action: 'accept', content: {} })
  expect(await elicit(form('Go on?'), never)).toEqual({ action: 'cancel' })
  expect(host.shown).toMatchObject([{ detail: expect.stringContaining('x'.repeat(300)) }, {}, {}])
})

it('opens an address only after the person has seen all of it and agreed', async () => {
  const url = `https://login.example/?to=https%3A%2F%2Fx&state=${'x'.repeat(900)}`
  const elicit = createElicitInWindow()
  host.answers.push('Decline', 'Open Address')
  const asked = { server: 'calc', message: 'Sign in', callers, asks: { url } }
  expect(await elicit(asked, never)).toEqual({ action: 'decline' })
  expect(host.opened).toEqual([])
  expect(await elicit(asked, never)).toEqual({ action: 'accept' })
  expect(host.opened).toEqual([url])
  expect(host.shown).toMatchObject([{ detail: expect.stringContaining(url) }, {}])
  expect(await elicit({ ...asked, asks: { url: 'vscode://x/run' } }, never)).toMatchObject({
    action: 'decline',
  })
  expect(host.shown).toHaveLength(2)
})

it('asks parallel questions in order, and continues when one is cancelled', async () => {
  const elicit = createElicitInWindow()
  const stop = new AbortController()
  host.answers.push('never', 'b')
  const fields = { a: { type: 'string' } }
  const first = elicit(form('First?', fields), stop.signal)
  const second = elicit(form('Second?', fields), never)
  const third = elicit(form('Third?', fields), AbortSignal.abort())
  await expect.poll(() => host.shown.length).toBe(1)
  stop.abort()
  expect(await first).toEqual({ action: 'cancel' })
  expect(await second).toEqual({ action: 'accept', content: { a: 'b' } })
  expect(await third).toEqual({ action: 'cancel' })
  expect(host.shown).toHaveLength(2)
})
