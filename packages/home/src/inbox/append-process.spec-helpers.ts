/** A separate program that adds many lines to an inbox, for tests with racing processes. */
import { openHome } from '../home/open-home.ts'
import { appendInbox } from './append-inbox.ts'

const [, , folder = '', count = '0'] = process.argv
const home = openHome({ home: folder, cwd: '/', env: {} })
const text = 'x'.repeat(5_000)
const lines = Array.from({ length: Number(count) }, (_, at) => ({ id: String(at), text }))
const answers = await Promise.all(lines.map((line) => appendInbox(home, 'mail', line)))
process.stdout.write(String(answers.filter((answer) => answer === 'new').length))
