import { styleText } from 'node:util'
import { escapeControls } from '@wabakit/contract/escape-controls'
import { escapeText, escapeUnstyled } from '../terminal/escape-text.ts'

/** How results are printed: for people, or as JSON. */
export type Format = 'pretty' | 'json'

type Style = Parameters<typeof styleText>[0]

/** Where a command writes. Results go to standard output, everything else to standard error. */
export type Output = {
  readonly format: Format
  /** A result: `value` as one line of JSON, or `text` for people. */
  result(value: unknown, text: string): void
  /** Something to know that is no result. */
  note(text: string): void
  /** Colours a part of a result, on a terminal that shows colours (`NO_COLOR` is heeded). */
  style(style: Style, text: string): string
}

/**
 * Makes the output of a command by its options. What a server or a file says must not move the cursor, change the
 * terminal's title or look like another line: it comes in through `style` or `escapeControls`.
 */
export const outputOf = ({ format }: { readonly format: Format }): Output => ({
  format,
  result: (value, text) =>
    process.stdout.write(
      `${format === 'json' ? escapeControls(JSON.stringify(value)) : escapeUnstyled(text)}\n`,
    ),
  note: (text) => process.stderr.write(`${escapeText(text)}\n`),
  style: (style, text) =>
    styleText(style, escapeControls(text), { stream: process.stdout, validateStream: true }),
})
