import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'

test('a worker rejects an address with a password, and does not print it', async () => {
  const project = createProject({ '.cadre/config.yaml': { engine: { kind: 'restate', place: 'lab' } } })
  const url = 'http://ann:hunter2@127.0.0.1:9080'
  const { code, stdout, stderr } = await project.cadre(['worker', '--url', url])
  expect(code).toBe(2)
  expect(stderr).toContain('--url must be an address such as http://10.0.0.5:9080, without a user name')
  expect(stdout + stderr).not.toContain('hunter2')
})
