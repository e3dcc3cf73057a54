import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { requireProgram } from './programs.ts'

/** Runs a command in a network of its own, where Linux chooses 6662, 6664 or 6666, of which fetch blocks the last. */
const withFewPorts = [
  '-rn',
  'sh',
  '-c',
  'ip link set lo up && echo 6661 6674 > /proc/sys/net/ipv4/ip_local_port_range && exec "$0" "$@"',
]

const isPossible = (): boolean => {
  try {
    execFileSync('unshare', [...withFewPorts, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test.runIf(requireProgram('unshare', isPossible()))(
  'a free port is never one that fetch blocks',
  async () => {
    const code = `
    import { createMock } from '@wabakit/mock'
    import { startServer } from '@wabakit/server'
    import { isBlockedPort } from '@wabakit/wire'
    const ports = []
    for (let time = 0; time < 8; time++) {
      await using mock = await createMock({ port: 0 })
      await using server = await startServer({ port: 0, database: ':memory:', logLevel: 'silent' })
      ports.push(...[mock, server].map(({ url }) => Number(new URL(url).port)))
    }
    console.log(ports.length, ports.filter(isBlockedPort))
  `
    const node = ['node', '--conditions=@wabakit/source', '--input-type=module', '--eval', code]
    const { stdout } = await promisify(execFile)('unshare', [...withFewPorts, ...node], {
      cwd: import.meta.dirname,
    })
    expect(stdout).toBe('16 []\n')
  },
)
