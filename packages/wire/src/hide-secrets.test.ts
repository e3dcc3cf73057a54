import { expect, test } from 'vitest'
import { createBulkSecretHider, createSecretFinder, createSecretHider } from './hide-secrets.ts'

const secret = `tok/AB+CD==&<xy>"q üñ-_1`

const hide = createSecretHider(() => [secret])

const toUnicode = (text: string, pattern: RegExp, write = (code: string) => `\\u${code}`): string =>
  text.replace(pattern, (each) => write(each.charCodeAt(0).toString(16).padStart(4, '0')))

const toEntities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const toBase64 = (text: string, alphabet: 'base64' | 'base64url' = 'base64') =>
  Buffer.from(text).toString(alphabet)
const toPhp = (text: string) => toUnicode(JSON.stringify(text), /[^ -~]/g).replaceAll('/', '\\/')

const notations: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  JSON: (text) => JSON.stringify(text),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify({ text })),
  'JSON of PHP': toPhp,
  'JSON of PHP in JSON of PHP': (text) => toPhp(toPhp(text)),
  'JSON of Go': (text) => toUnicode(JSON.stringify(text), /[<>&]/g),
  'JSON of .NET': (text) => toUnicode(text, /[^ -~]|[<>&+'"`]/g, (code) => `\\u${code.toUpperCase()}`),
  'JSON of Python': (text) => toUnicode(JSON.stringify(text), /[^ -~]/g),
  'a literal of JavaScript': (text) =>
    toUnicode(text, /[^ -~]|"/g, (code) => `\\u{${code.replace(/^0+/, '')}}`),
  'a literal of Python': (text) => toUnicode(text, /[^ -~]/g, (code) => `\\U0000${code}`),
  'a literal with \\x': (text) => toUnicode(text, /[^ -~]|"/g, (code) => `\\x${code.slice(2)}`),
  'bytes with \\x': (text) =>
    toUnicode(Buffer.from(text).toString('latin1'), /[^ -~]|"/g, (code) => `\\x${code.slice(2)}`),
  'single quotes': (text) => `'${text}'`,
  'CSV or SQL': (text) => `"${text.replaceAll('"', '""')}"`,
  HTML: toEntities,
  'HTML in HTML': (text) => toEntities(toEntities(text)),
  'HTML in JSON of Go': (text) => toUnicode(toEntities(text), /[<>&]/g),
  'HTML with numbers': (text) =>
    text.replace(/[^a-z\d]/gi, (each) => `&#x${each.charCodeAt(0).toString(16).toUpperCase()};`),
  'HTML with decimal numbers': (text) => text.replace(/[^a-z\d]/gi, (each) => `&#${each.charCodeAt(0)};`),
  'a URL': encodeURIComponent,
  'a URL in a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
  'a URL in lower case': (text) => encodeURIComponent(text).replace(/%../g, (each) => each.toLowerCase()),
  'a form': (text) => `${new URLSearchParams({ text })}`,
  'upper case': (text) => text.toUpperCase(),
  'lower case': (text) => text.toLowerCase(),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  base64: (text) => toBase64(text),
  'base64 of an object': (text) => toBase64(`{"a":${text}}`),
  'base64url of a pair': (text) => toBase64(`u:${text}`, 'base64url'),
  'base64 in lines': (text) => toBase64(text).replace(/.{10}/g, '$&\r\n'),
  'base64 in JSON lines': (text) => JSON.stringify(toBase64(text).replace(/.{10}/g, '$&\n')),
  'spaced letters': (text) => text.split('').join(' '),
  'UTF-16 that was read as UTF-8': (text) => text.split('').join('\0'),
  'without its end': (text) => text.slice(0, -3),
  'without its beginning': (text) => text.slice(3),
  'one half': (text) => text.slice(0, Math.ceil(text.length / 2)),
}

test.each(Object.entries(notations))('a secret is hidden in %s', (_, write) => {
  const shown = hide(`before ${write(secret)} after`)
  expect(shown).toMatch(/^before .{0,14}\[redacted\].{0,9} after$/s)
  expect(shown).not.toMatch(/tok|746f6b|AB|CD/i)
})

test.each(Object.entries(notations))('what is no secret is kept as it is in %s', (_, write) => {
  const text = `before ${write('an order of 12 > 3 & "more" at 50% of C:\\new\\users')} after`
  expect(hide(text)).toBe(text)
})

test.each(Object.entries(notations))('the hider of many texts hides the same in %s', (_, write) => {
  const long = 'an order of 12 calls '.repeat(9)
  for (const secrets of [[secret], [secret, 'seven77'], ['pw', 'wk_test_0123456789abcdef'], ['']]) {
    const hideOne = createSecretHider(() => secrets)
    const hideMany = createBulkSecretHider(secrets)
    const known = write(secrets.join('-') || 'none')
    for (const shift of [0, 1, 3, 8, 19]) {
      const texts = [
        `${long.slice(shift)}${known}`,
        `${known}${long}`,
        ...secrets.map((each) => ` (${each})`),
      ]
      texts.push(...texts.map((text) => text.slice(0, -shift)), `${long}${known.slice(0, shift)}"  \n `)
      for (const text of [...texts, `𝒳${known}\u{e0001}`]) expect(hideMany(text)).toBe(hideOne(text))
    }
  }
})

test('a secret of fewer than 8 characters is hidden only as a word', () => {
  const hideShort = createSecretHider(() => ['seven77'])
  expect(hideShort('xseven77 seven77x (seven77)')).toBe('xseven77 seven77x ([redacted])')
  expect(hideShort('seven77, "SEVEN77"')).toBe('[redacted], "[redacted]"')
})

test('the beginning of a secret is hidden at the end of a text that was cut, and nowhere else', () => {
  expect(hide('key: tok/AB')).toBe('key: [redacted]')
  expect(hide('key: tok/A')).toBe('key: tok/A')
  expect(hide('key: tok/AB.')).toBe('key: tok/AB.')
})

test('secrets that overlap are hidden as one, and those side by side each', () => {
  const hideBoth = createSecretHider(() => ['first-shared', 'shared-second'])
  expect(hideBoth('(first-shared-second)')).toBe('([redacted])')
  expect(hideBoth('first-shared shared-second')).toBe('[redacted] [redacted]')
})

test('the secrets are asked for on first use, and without any a text is kept', () => {
  let calls = 0
  const hideNothing = createSecretHider(() => {
    calls += 1
    return ['', '"', ' ']
  })
  expect(calls).toBe(0)
  expect(hideNothing(hideNothing('a "text"'))).toBe('a "text"')
  expect(calls).toBe(1)
})

test.each([['\\'], ['%'], ['&#0'], ['%25'], ['&amp;'], ['s'], ['tok/AB'], ['aaab'], [' '], ['"']])(
  'a hostile 64 KiB of "%s" takes no longer than another text',
  (piece) => {
    const repeated = Array.from({ length: 20 }, (_, index) => `${'aaab'.repeat(90)}"%${index}`)
    const startedAt = process.cpuUsage()
    createSecretHider(() => [secret, `${secret}${secret}`, 's\\s\\s\\s\\s\\s\\', ...repeated])(
      piece.repeat(65_536 / piece.length),
    )
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_500)
  },
)

const whole = Object.entries(notations).filter(([name]) => !/without|half|upper/.test(name))

test.each(whole)('finds a whole secret in %s', (_, write) => {
  expect(createSecretFinder(`a ${write(secret)} b`)(secret)).toBe(true)
  expect(createSecretFinder(`a ${write(secret.slice(1))} b`)(secret)).toBe(false)
})
