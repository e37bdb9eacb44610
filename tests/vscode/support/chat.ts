import type { Page } from './browser.ts'
import type { VsCode } from './start-vscode.ts'
import { until } from './until.ts'

/** The chat view of a window. */
export interface Chat {
  /** Types this into the chat and sends it. */
  ask(text: string): Promise<void>
  /** Chooses the model for what is asked from now on. */
  useModel(id: 'scripted-one' | 'scripted-two'): Promise<void>
  /** The text of the last answer, as far as it has come. */
  lastAnswer(): Promise<string>
  /** Waits until the last answer is complete and contains this. */
  waitForAnswer(expected: RegExp): Promise<string>
  /** Waits until the chat asks this before it runs a tool. */
  waitForConfirmation(title: string | RegExp): Promise<void>
  /** Lets the tool that waits for a confirmation run. */
  confirm(): Promise<void>
  /** Cancels the answer that is being written. */
  cancel(): Promise<void>
  startNew(): Promise<void>
}

const input = '.interactive-input-part .interactive-input-editor .monaco-editor'
const response = '.interactive-item-container.interactive-response'

export function chatOf(page: Page, { host, output }: VsCode): Chat {
  const lastAnswer = async () => (await page.locator(response).allInnerTexts()).at(-1) ?? ''
  const isComplete = async () =>
    (await page.locator(response).count()) > 0 &&
    !((await page.locator(response).last().getAttribute('class')) ?? '').includes('chat-response-loading')
  const show = () => host.command('workbench.action.chat.open')
  return {
    lastAnswer,
    useModel: async (id) => {
      await host.command('workbench.action.chat.open', { modelSelector: { vendor: 'scripted', id } })
    },
    ask: async (text) => {
      await show()
      await until('the chat to have a model', async () =>
        (await page.locator('.interactive-input-part').last().innerText()).includes('Scripted'),
      )
      await page.locator(input).last().click()
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Delete')
      await page.keyboard.type(text)
      // Closes the list of suggestions, which would take the Enter.
      await page.keyboard.press('Escape')
      const before = await page.locator('.interactive-item-container.interactive-request').count()
      await page.keyboard.press('Enter')
      await until(
        'the question to be sent',
        async () => (await page.locator('.interactive-item-container.interactive-request').count()) > before,
      )
    },
    waitForAnswer: async (expected) => {
      let seen = ''
      try {
        return await until('the answer', async () => {
          seen = await lastAnswer()
          return (await isComplete()) && expected.test(seen) && seen
        })
      } catch {
        throw new Error(
          `The last answer does not contain ${expected}:\n${seen}\n\nThe server said:\n${output()}`,
        )
      }
    },
    waitForConfirmation: (title) =>
      page.getByText(title).filter({ visible: true }).first().waitFor({ state: 'visible' }),
    confirm: async () => {
      await host.command('workbench.action.chat.acceptTool')
    },
    cancel: async () => {
      await host.command('workbench.action.chat.cancel')
    },
    startNew: async () => {
      await host.command('workbench.action.chat.newChat')
    },
  }
}
