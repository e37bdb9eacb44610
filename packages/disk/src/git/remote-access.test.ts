import { expect, it } from 'vitest'
import { remoteEnvironment, remoteSettings, sshCommand } from './remote-access.ts'

it('passes what credential helpers may need, and nothing that prints, prompts or selects a repository', () => {
  const kept = {
    PATH: '/bin',
    MY_TOKEN: 'x',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
    GIT_SSH_COMMAND: 'ssh -i key',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: 'x: y',
    GIT_SSL_CAINFO: '/ca.pem',
  }
  const removed = {
    GIT_DIR: '/other/.git',
    GIT_INDEX_FILE: '/other/index',
    GIT_TRACE_CURL: '1',
    GIT_CURL_VERBOSE: '1',
    SSH_ASKPASS: 'ask',
    DISPLAY: ':0',
  }
  expect(remoteEnvironment({ ...kept, ...removed })).toEqual({
    ...kept,
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
  })
})

it('gives up after five minutes without an answer', () => {
  expect(sshCommand()).toBe(
    'ssh -o BatchMode=yes -o ConnectTimeout=60 -o ServerAliveInterval=60 -o ServerAliveCountMax=5',
  )
  expect(remoteSettings()).toContain('http.lowSpeedTime=300')
})
