import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from '../../packages/conformance/test/start-process.ts'
import { requireCommand } from '../../packages/server/test/programs.ts'

/** An endpoint of the trial. */
type Program = {
  /** A command that succeeds if everything the program needs is installed. */
  readonly needs: Command
  /** Returns the command that starts it. It listens on the port in `PORT`. */
  start(folder: string): Command | Promise<Command>
}

const inFolder = (name: string): string => join(import.meta.dirname, name)

const runPython = (file: string, module: string): Program => ({
  needs: ['/usr/bin/python3', '-c', `import ${module}`],
  start: () => ['/usr/bin/python3', inFolder(file)],
})

const runRuby = (file: string): Program => ({
  needs: ['ruby', '-e', 'require "webrick"'],
  start: () => ['ruby', inFolder(file)],
})

const runNode = (file: string): Program => ({
  needs: [process.execPath, '--version'],
  start: () => [process.execPath, inFolder(file)],
})

export const programs = {
  'wsgi.py': runPython('endpoints/wsgi.py', 'waitress'),
  'asyncio_server.py': runPython('endpoints/asyncio_server.py', 'asyncio'),
  'config.ru': {
    needs: ['ruby', '-e', 'require "puma"'],
    // The shell inserts the port.
    start: () => ['sh', '-c', `exec puma --bind tcp://127.0.0.1:$PORT '${inFolder('endpoints/config.ru')}'`],
  },
  'webrick.rb': runRuby('endpoints/webrick.rb'),
  'index.php': {
    needs: ['php', '-r', 'new PDO("sqlite::memory:");'],
    start: () => ['sh', '-c', `exec php -S 127.0.0.1:$PORT '${inFolder('endpoints/index.php')}'`],
  },
  'main.go': {
    needs: ['go', 'version'],
    start: async (folder) => {
      const endpoint = join(folder, 'endpoint')
      await promisify(execFile)('go', ['build', '-o', endpoint, '.'], { cwd: inFolder('endpoints/go') })
      return [endpoint]
    },
  },
  'callbacks.js': runNode('endpoints/callbacks.js'),
  'express.js': runNode('endpoints/express.js'),
  'proxy.js': runNode('endpoints/proxy.js'),
} as const satisfies Readonly<Record<string, Program>>

export type ProgramName = keyof typeof programs

export const isInstalled = (name: ProgramName): boolean => {
  const [command, ...args] = programs[name].needs
  return requireCommand(command, ...args)
}
