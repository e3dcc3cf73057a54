import { styleText } from 'node:util'
import { escapeControls } from '@wabakit/wire'
import { escapeText, escapeUnstyled } from '../terminal/escape-text.ts'

/** The exit codes shared by all commands. */
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

type Style = Parameters<typeof styleText>[0]

/** Writes results to standard output and notices to standard error. */
export type Output = {
  readonly format: Format
  /** Writes a result: `value` as one line of JSON, or the human-readable `text`. */
  result(value: unknown, text: string): void
  notice(text: string): void
  /** Styles a part of a result if standard output is a terminal that supports colors. Respects `NO_COLOR`. */
  style(style: Style, text: string): string
}

/**
 * Creates the output of a command. Pass text from servers, endpoints and files through `style` or `escapeControls`, so
 * that it cannot control the terminal or forge lines.
 */
export const createOutput = ({ format }: { readonly format: Format }): Output => ({
  format,
  result: (value, text) =>
    process.stdout.write(
      `${format === 'json' ? escapeControls(JSON.stringify(value)) : escapeUnstyled(text)}\n`,
    ),
  notice: (text) => process.stderr.write(`${escapeText(text)}\n`),
  style: (style, text) =>
    styleText(style, escapeControls(text), { stream: process.stdout, validateStream: true }),
})
