import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { bundles } from './bundle-processes.ts'

/** Listens, and never accepts: after its message, the thread sleeps until it is terminated. */
const keep = `
const { createServer } = require('node:net')
const { parentPort, workerData: port } = require('node:worker_threads')
const server = createServer().listen(port, '127.0.0.1', () => {
  parentPort.postMessage({ fd: server._handle.fd, port: server.address().port })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
`

export type KeptSocket = { readonly fd: number; readonly port: number }

/** Opens a listening socket that outlives the processes which serve on it, as systemd does. */
export const keepSocket = async (port = 0) => {
  const worker = new Worker(keep, { eval: true, workerData: port })
  const [kept]: KeptSocket[] = await once(worker, 'message')
  if (kept === undefined) throw new Error('The thread has sent nothing.')
  return { ...kept, close: async () => void (await worker.terminate()) }
}

/** Runs `wabakit serve` on a port; with `fd`, on a socket that it gets as from systemd. */
export const serveOn = (
  { fd, port }: Partial<KeptSocket>,
  { args, sockets = 1 }: { readonly args: readonly string[]; readonly sockets?: number },
) => {
  const script = `${fd === undefined ? '' : `LISTEN_FDS=${sockets} LISTEN_PID=$$ `}exec "$0" "$@"`
  const command = [bundles.command, 'serve', '--port', `${port}`, '--format', 'json', ...args]
  const child = spawn('/bin/sh', ['-c', script, process.execPath, ...command], {
    stdio: ['ignore', 'pipe', 'pipe', ...(fd === undefined ? [] : [fd])],
    env: { PATH: process.env.PATH },
  })
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('The process has no pipes.')
  const ended: Promise<unknown> = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const log = text(stderr)
  const ready = once(createInterface(stdout), 'line')
  return {
    /** Resolves when it accepts requests. */
    ready: Promise.race([
      ready,
      ended.then(async (end) => {
        throw new Error(`The server ended with ${end}: ${await log}`)
      }),
    ]),
    stop: (signal: NodeJS.Signals): Promise<unknown> => {
      child.kill(signal)
      return ended
    },
    ended,
    log,
  }
}
