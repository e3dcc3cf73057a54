import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

const quote = (argument: string): string =>
  /^[\w./:=@-]+$/.test(argument) ? argument : `"${argument.replaceAll('"', '""')}"`

/**
 * Builds the arguments of `spawn` for a command. On Windows, `npm` and other scripts are `.cmd` files, which need a
 * shell.
 */
export const toSpawnArguments = (
  [file = '', ...args]: readonly string[],
  platform: NodeJS.Platform,
): { readonly file: string; readonly args: string[]; readonly shell: boolean } =>
  platform === 'win32'
    ? { file: [file, ...args].map(quote).join(' '), args: [], shell: true }
    : { file, args, shell: false }

type Passing = { readonly signal: NodeJS.Signals; readonly platform: NodeJS.Platform }

/**
 * Forwards a signal to a child. Does nothing on Windows, where the console signals the child and `kill` would end it
 * immediately.
 */
export const passOn = (child: Pick<ChildProcess, 'kill'>, { signal, platform }: Passing): void => {
  if (platform !== 'win32') child.kill(signal)
}

export const spawnCommand = (command: readonly string[], options: SpawnOptions): ChildProcess => {
  const { file, args, shell } = toSpawnArguments(command, process.platform)
  return spawn(file, args, { ...options, shell })
}
