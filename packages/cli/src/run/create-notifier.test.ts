import { expect, it } from 'vitest'
import type { Io } from '../io.ts'
import { createNotifier, type NotifySetting } from './create-notifier.ts'

function written(
  setting: NotifySetting,
  env: Record<string, string>,
  kind: 'waiting' | 'finished',
  text = 'x',
) {
  let said = ''
  const write = (part: string) => {
    said += part
    return true
  }
  createNotifier({ stdout: { isTTY: env['TTY'] !== '0', write }, env } as unknown as Io)(setting, {
    kind,
    text,
  })
  return said
}

const bell = '\x07'
const osc9 = '\x1b]9;Cadre: x\x07'

it.each([
  ['auto', { TERM: 'xterm-256color' }, 'waiting', bell],
  ['auto', { TERM: 'xterm-256color' }, 'finished', ''],
  ['auto', { TERM_PROGRAM: 'iTerm.app' }, 'finished', osc9],
  ['auto', { TERM_PROGRAM: 'WezTerm' }, 'waiting', osc9],
  ['auto', { TERM: 'xterm-kitty' }, 'waiting', osc9],
  ['auto', { TERM: 'foot' }, 'waiting', '\x1b]777;notify;Cadre;x\x07'],
  ['auto', { TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/t' }, 'waiting', bell],
  ['osc9', { TMUX: '/tmp/t' }, 'waiting', '\x1bPtmux;\x1b\x1b]9;Cadre: x\x07\x1b\\'],
  ['bell', {}, 'finished', bell],
  ['off', { TERM_PROGRAM: 'iTerm.app' }, 'waiting', ''],
  ['osc9', { TERM: 'dumb' }, 'waiting', ''],
  ['osc9', { TTY: '0' }, 'waiting', ''],
] as const)('%s with %j, %s', (setting, env, kind, expected) => {
  expect(written(setting, env, kind)).toBe(expected)
})

it('passes no control characters of models to the terminal', () => {
  const said = written('osc777', {}, 'waiting', `a;b\x07\x1b]52;c;AAAA\x07\x9b2J${'y'.repeat(500)}`)
  expect(said.startsWith('\x1b]777;notify;Cadre;a,b')).toBe(true)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the only two are ours.
  expect(said.match(/[\x00-\x1f\x7f-\x9f]/g)).toEqual(['\x1b', '\x07'])
  expect(said.length).toBeLessThan(160)
})
