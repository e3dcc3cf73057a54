import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogger, type LoggerOptions } from './logger.ts'

const open = async (options: Partial<LoggerOptions> = {}, isTTY = false, hasColors = isTTY) => {
  let text = ''
  const stream = Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        text += chunk
        done()
      },
    }),
    { isTTY, hasColors: () => hasColors },
  )
  const log = await createLogger({ logLevel: 'debug', logFormat: 'json', stream, ...options })
  return { log, text: () => text }
}

test.each(['authorization', 'key', 'secret', 'token', 'payload', 'headers'])(
  'removes a field that is called %s, also one level down, and keeps the others',
  async (name) => {
    const { log, text } = await open()

    log.info({ [name]: 'hidden-1', request: { [name]: 'hidden-2', id: 'seen' } }, 'message')

    expect(text()).not.toContain('hidden')
    expect(JSON.parse(text())).toMatchObject({ request: { id: 'seen' }, msg: 'message' })
  },
)

test('also removes them from human-readable lines', async () => {
  const { log, text } = await open({ logFormat: 'pretty' })

  log.info({ token: 'hidden', id: 'seen' }, 'message')

  expect(text()).not.toContain('hidden')
  expect(text()).toContain('seen')
})

const injected = 'a\n{"level":"error"}\u001b[2J\u001b]0;title\u0007\u009b1A\u007f\u202e\u2028b'
const isUnsafe = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u

test.each(['json', 'pretty'] as const)(
  'lets nobody write into the terminal by a %s line',
  async (logFormat) => {
    const { log, text } = await open({ logFormat })

    log.info({ path: injected, err: new Error(injected) }, injected)

    expect(text()).not.toMatch(isUnsafe)
    expect(text()).toContain('\\u009b1A\\u007f\\u202e\\u2028b')
  },
)

test('keeps the contents of a JSON line', async () => {
  const { log, text } = await open()

  log.info({ path: injected }, 'message')

  expect(text().trimEnd()).not.toContain('\n')
  expect(JSON.parse(text())).toMatchObject({ path: injected })
})

test('colors lines on a terminal, and escapes everything else', async () => {
  const { log, text } = await open({ logFormat: 'pretty' }, true)

  log.info({ err: new Error(injected) }, 'message')

  expect(text()).toContain('\u001b[32mINFO\u001b[39m')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors.
  expect(text().replace(/\u001b\[\d+m/g, '')).not.toMatch(isUnsafe)
})

test('colors no line on a terminal without colors, as with NO_COLOR', async () => {
  const { log, text } = await open({ logFormat: 'pretty' }, true, false)

  log.info('message')

  expect(text()).toMatch(/^\[.+\] INFO: message\n$/)
})
