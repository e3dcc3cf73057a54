import { Writable } from 'node:stream'
import { type Logger, pino } from 'pino'
import type { ServerConfig } from '../config/server-config.ts'
import { escapeText, escapeUnstyled } from '../terminal/escape-text.ts'

export type LoggerOptions = Pick<ServerConfig, 'logLevel' | 'logFormat'> & {
  /** @default standard error */
  readonly stream?: NodeJS.WritableStream | undefined
}

/** Returns whether a terminal shows colors. Respects `NO_COLOR`, which pino-pretty ignores. */
const hasColors = (stream: NodeJS.WritableStream): boolean =>
  'hasColors' in stream && typeof stream.hasColors === 'function' && stream.hasColors() === true

const removedFields = ['authorization', 'key', 'secret', 'token', 'payload', 'headers']

/**
 * Creates the server's log. Callers must not log keys, secrets, payloads or phone numbers. Should one do so, the fields in
 * `removedFields` are removed, at the top of a line and one level below it. Control characters are escaped, except tabs, line breaks
 * and, on a terminal, colors.
 */
export const createLogger = async (options: LoggerOptions): Promise<Logger> => {
  const { logLevel, logFormat, stream = process.stderr } = options
  const isTerminal = 'isTTY' in stream && stream.isTTY === true
  const format = logFormat ?? (isTerminal ? 'pretty' : 'json')
  // Loading pino-pretty takes a twentieth of the server's start-up time.
  const pretty = format === 'pretty' ? (await import('pino-pretty')).default : undefined
  const escapeLines = isTerminal && format === 'pretty' ? escapeUnstyled : escapeText
  const destination = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      stream.write(escapeLines(String(chunk)))
      // Does not wait for the write, so that no later line is still buffered here when the process ends.
      done()
    },
  })
  return pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      redact: {
        paths: removedFields.flatMap((name) => [name, `*.${name}`]),
        remove: true,
      },
    },
    pretty === undefined
      ? destination
      : pretty({ colorize: isTerminal && hasColors(stream), destination, sync: true }),
  )
}
