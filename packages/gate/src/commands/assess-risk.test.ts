import { expect, it } from 'vitest'
import { assessRisk } from './assess-risk.ts'
import { interpretLine } from './interpret-line.ts'

it.each([
  ['ls -la', 'LOW'],
  ['firmware update', 'LOW'],
  ["echo 'rm -rf /'", 'LOW'],
  ['grep sudo notes.txt', 'LOW'],
  ['cat killer.txt', 'LOW'],
  ['git status', 'LOW'],
  ['ls > /dev/null', 'LOW'],
  ['npm install x', 'MEDIUM'],
  ['pip install x', 'MEDIUM'],
  ['apt install x', 'MEDIUM'],
  ['git push', 'MEDIUM'],
  ['docker ps', 'MEDIUM'],
  ['kubectl get pods', 'MEDIUM'],
  ['systemctl status x', 'MEDIUM'],
  ['npm test', 'MEDIUM'],
  ['./x.sh', 'MEDIUM'],
  ['ls > out', 'MEDIUM'],
  ['curl x', 'MEDIUM'],
  ['$X', 'MEDIUM'],
  ['sort -o out a', 'MEDIUM'],
  ['rm x', 'HIGH'],
  ['sudo ls', 'HIGH'],
  ['timeout 5 rm x', 'HIGH'],
  ["bash -c 'chmod 777 x'", 'HIGH'],
  ['kill -9 1', 'HIGH'],
  ['git push --force', 'HIGH'],
  ['git reset --hard', 'HIGH'],
  ['git clean -fdx', 'HIGH'],
  ['cat .env', 'HIGH'],
  ['cat /etc/hosts', 'HIGH'],
  ['cat ~/.ssh/id_rsa', 'HIGH'],
  ['echo x > .env', 'HIGH'],
  ['iptables -F', 'HIGH'],
  ['mkfs.ext4 /dev/sda', 'HIGH'],
])('%s has risk %s', (line, risk) => {
  const found = assessRisk(interpretLine(line))
  expect(found.risk).toBe(risk)
  expect(found.reasons.length).toBeGreaterThan(0)
})

it('names the reasons of the highest risk first', () => {
  const { reasons } = assessRisk(interpretLine('docker ps; sudo rm x'))
  expect(reasons).toEqual([
    'Dangerous command: sudo',
    'Dangerous command: rm',
    'System-modifying command: docker',
  ])
})
