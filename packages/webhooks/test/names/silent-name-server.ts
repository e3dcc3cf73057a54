import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** An address of this machine, on the port of name servers, which only root may open. */
const address = '127.53.53.53'

const unshare = ['--user', '--mount', '--map-root-user', 'bash', '-ec'] as const
const script = 'mount --bind "$1" /etc/resolv.conf; shift; exec "$@"'

/** Returns whether processes can be given another name server. */
export const canReplaceNameServer = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync('unshare', [...unshare, script, 'bash', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0

/**
 * Starts a name server that never answers, for processes of Node.js whose system has no other one. In them, `dns.lookup` takes
 * minutes.
 */
export const startSilentNameServer = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'silent-names-'))
  const file = join(folder, 'resolv.conf')
  writeFileSync(file, `nameserver ${address}\noptions timeout:30 attempts:5\n`)
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.bind(53, address)
  await once(socket, 'listening')
  return {
    /** Runs a process until it ends. */
    run: async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
      const startedAt = performance.now()
      const child = spawn('unshare', [...unshare, script, 'bash', file, process.execPath, ...args], {
        env: { ...process.env, ...env },
      })
      child.stdin.end()
      const ended = once(child, 'close')
      const [[code], stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
      return { code, stdout, stderr, ms: performance.now() - startedAt }
    },
    close: (): void => {
      socket.close()
      rmSync(folder, { recursive: true })
    },
  }
}
