import type { Page } from './browser.ts'
import type { VsCode } from './start-vscode.ts'
import { until } from './until.ts'

/** The chat view of a window. */
export interface Chat {
  /** Types this into the chat and sends it. */
  ask(text: string): Promise<void>
  /** Chooses the model for later requests. */
  useModel(id: 'scripted-one' | 'scripted-two'): Promise<void>
  /** The text of the last answer so far. */
  lastAnswer(): Promise<string>
  /** Waits until the last answer is complete and matches. */
  waitForAnswer(expected: RegExp): Promise<string>
  /** Waits until the chat asks for this confirmation before it runs a tool. */
  waitForConfirmation(title: string | RegExp): Promise<void>
  /** Confirms the pending tool. */
  confirm(): Promise<void>
  /** Cancels the answer in progress. */
  cancel(): Promise<void>
  startNew(): Promise<void>
}

interface Item {
  readonly index: number
  readonly isAnswer: boolean
  readonly isComplete: boolean
  readonly text: string
}

const input = '.interactive-input-part .interactive-input-editor .monaco-editor'
// Only visible items have an element, in any order.
const readItems = `[...document.querySelectorAll('.interactive-session .monaco-list-row')]
  .map((row) => ({ row, item: row.querySelector('.interactive-item-container') }))
  .filter(({ item }) => item)
  .map(({ row, item }) => ({
    index: Number(row.dataset.index),
    isAnswer: item.classList.contains('interactive-response'),
    isComplete: !item.classList.contains('chat-response-loading'),
    text: item.innerText,
  }))
  .sort((one, other) => one.index - other.index)`

export function chatOf(page: Page, { host, version }: VsCode): Chat {
  const lastItem = async () => (await page.evaluate<Item[]>(readItems)).at(-1)
  const lastAnswer = async () => {
    const answers = await page.evaluate<Item[]>(readItems)
    return answers.findLast(({ isAnswer }) => isAnswer)?.text ?? ''
  }
  const show = () => host.command('workbench.action.chat.open')
  return {
    lastAnswer,
    useModel: async (id) => {
      await show()
      await host.command('workbench.action.chat.changeModel', { vendor: 'scripted', family: 'scripted', id })
    },
    ask: async (text) => {
      await show()
      if (version === 'newest') await hasModel(page)
      const before = (await lastItem())?.index ?? -1
      // Not clicked, because messages of VS Code can cover it.
      await page.locator(input).last().locator('textarea, .native-edit-context').first().focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Delete')
      await page.keyboard.type(text)
      // Closes the suggestions, which would handle Enter.
      await page.keyboard.press('Escape')
      await page.keyboard.press('Enter')
      await until('the question to be sent', async () => {
        const last = await lastItem()
        return last?.isAnswer && last.index > before
      })
    },
    waitForAnswer: async (expected) => {
      let last: Item | undefined
      try {
        return await until('the answer', async () => {
          last = await lastItem()
          return last?.isAnswer && last.isComplete && expected.test(last.text) && last.text
        })
      } catch (error) {
        throw new Error(`The last answer does not contain ${expected}:\n${last?.text}`, { cause: error })
      }
    },
    waitForConfirmation: (title) => page.getByText(title).filter({ visible: true }).first().waitFor(),
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

// Before the picker shows a model, the chat answers that there is none. The oldest version hides the picker in an empty
// chat.
async function hasModel(page: Page): Promise<void> {
  await until('the chat to have a model', async () =>
    (await page.locator('.interactive-input-part').last().textContent())?.includes('Scripted'),
  )
}
