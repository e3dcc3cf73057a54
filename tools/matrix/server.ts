import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)
const getCommand = (project: string): string => join(project, 'node_modules/@wabakit/server/dist/cli/main.js')

/** Starts the packed server on a SQLite file, creates a group and stops the server. Returns the checks that passed. */
export const checkServer = async (node: string, project: string): Promise<string[]> => {
  const args = ['serve', '--port', '0', '--database', 'matrix.db', '--format', 'json']
  const server = spawn(node, [getCommand(project), ...args], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(createInterface(server.stdout), 'line', { signal: AbortSignal.timeout(20_000) })
    const { url, demo } = JSON.parse(String(line))
    const response = await fetch(`${url}/whatsapp/wa-group/create`, {
      method: 'POST',
      headers: { authorization: demo.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ wabaNumber: demo.wabaNumber, subject: 'Team' }),
    })
    if (!response.ok) throw new Error(`The server responded with ${response.status}.`)
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    const [code] = await exit
    if (code !== 0) throw new Error(`The server ended with ${code}.`)
    return ['starts', 'creates a group', 'stops']
  } finally {
    server.kill('SIGKILL')
  }
}

/** Checks that the command line explains in one line that Node.js is too old. */
export const checkTooOld = async (node: string, project: string): Promise<string[]> => {
  const ended: { code?: number; stderr: string } = await run(node, [getCommand(project)]).catch(
    (error) => error,
  )
  if (ended.code === 2 && /^wabakit needs Node\.js \S+ or newer; this is \S+\.\n$/.test(ended.stderr)) {
    return ['explains that Node.js is too old']
  }
  throw new Error(`It ended with ${ended.code}: ${ended.stderr}`)
}
