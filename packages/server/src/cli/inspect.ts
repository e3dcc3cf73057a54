import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { addExamples, createFormatOption, createServerOption } from './options.ts'
import { CliError, createOutput, type Format } from './output.ts'

type InspectOptions = { readonly server: string; readonly open: boolean; readonly format: Format }
type Opener = readonly [file: string, ...args: string[]]

const openers: Partial<Record<NodeJS.Platform, Opener>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export const findOpener = (platform: NodeJS.Platform): Opener => openers[platform] ?? ['xdg-open']

const openUrl = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const [file, ...args] = findOpener(process.platform)
    const child = spawn(file, [...args, url], { stdio: 'ignore', detached: true })
    child.once('error', (cause) => {
      reject(new CliError(`${file} cannot be run. Open the page yourself: ${url}`, undefined, { cause }))
    })
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
  })

const inspect = async ({ server, open, format }: InspectOptions): Promise<void> => {
  const url = `${server}/_wabakit/inspector`
  createOutput({ format }).result({ url }, url)
  if (open) await openUrl(url)
}

export const define = (command: Command): void => {
  command
    .addOption(createServerOption())
    .option('--no-open', 'print the address of the page, and open nothing')
    .addOption(createFormatOption())
    .action(inspect)
  addExamples(command, 'inspect', 'inspect --no-open')
}
