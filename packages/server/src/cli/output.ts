import { styleText } from 'node:util'
import { escapeControls, writeJson } from '@wabakit/wire'
import { escapeText, escapeUnstyled } from '../terminal/escape-text.ts'

export const exitCodes = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const

/** An error whose message is printed without a stack trace. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

export type Format = 'pretty' | 'json'

/**
 * Creates the output of a command: results on standard output, notices on standard error. Pass text from servers,
 * endpoints and files through `style` or `escapeControls`, so that it cannot control the terminal or forge lines.
 */
export const createOutput = ({ format }: { readonly format: Format }) => ({
  format,
  /** Writes a result: `value` as one line of JSON, or the human-readable `text`. */
  result: (value: unknown, text: string): void => {
    const line = format === 'json' ? escapeControls(writeJson(value)) : escapeUnstyled(text)
    process.stdout.write(`${line}\n`)
  },
  notice: (text: string): void => {
    process.stderr.write(`${escapeText(text)}\n`)
  },
  /**
   * Escapes a part of a result, and styles it if standard output is a terminal that supports colors. Respects `NO_COLOR` and
   * `FORCE_COLOR`.
   */
  style: (style: Parameters<typeof styleText>[0], text: string): string =>
    styleText(style, escapeControls(text), { stream: process.stdout, validateStream: true }),
})

export type Output = ReturnType<typeof createOutput>
