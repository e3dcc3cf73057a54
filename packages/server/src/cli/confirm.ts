import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Option } from 'commander'
import { CliError, exitCodes } from './output.ts'

export const createYesOption = (): Option => new Option('--yes', 'do it without asking')

type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

const standard: Terminal = { input: process.stdin, output: process.stderr }

/** Asks a question on a terminal. Returns '' if the answer is empty, the user closes the terminal, or there is none. */
export const ask = async (question: string, { input, output } = standard): Promise<string> => {
  if (!input.isTTY) return ''
  const terminal = createInterface({ input, output })
  try {
    // Ctrl-C and Ctrl-D close the terminal. Depending on its version, Node.js then rejects the question or leaves it open.
    const closed = once(terminal, 'close').then(() => '')
    const reply = await Promise.race([terminal.question(`${question} `), closed]).catch(() => '')
    return reply.trim()
  } finally {
    terminal.close()
  }
}

/** Asks for confirmation on a terminal. Throws a CliError unless the user agrees or `--yes` is set. */
export const confirm = async (
  question: string,
  { yes = false }: { readonly yes?: boolean },
  terminal = standard,
): Promise<void> => {
  if (yes) return
  if (!terminal.input.isTTY) {
    throw new CliError('Nothing was changed. Add --yes to do it without being asked.', exitCodes.usage)
  }
  if (!/^y(?:es)?$/i.test(await ask(`${question} [y/N]`, terminal)))
    throw new CliError('Nothing was changed.')
}
