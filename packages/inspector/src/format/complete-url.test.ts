import { expect, test } from 'vitest'
import { completeUrl } from './complete-url.ts'

test.each([
  ['shop.example/webhooks', 'https://shop.example/webhooks'],
  ['localhost.example', 'https://localhost.example'],
  ['127.example:8080', 'https://127.example:8080'],
  ['localhost:3000/webhooks', 'http://localhost:3000/webhooks'],
  [' 127.0.0.1 ', 'http://127.0.0.1'],
  ['[::1]:3000', 'http://[::1]:3000'],
  ['HTTP://shop.example', 'HTTP://shop.example'],
  ['https:/shop.example', 'https:/shop.example'],
  ['ftp://127.0.0.1', 'ftp://127.0.0.1'],
  ['shop.example/to?url=http://127.0.0.1', 'https://shop.example/to?url=http://127.0.0.1'],
  ['', ''],
])('completes the typed URL "%s" to "%s"', (typed, url) => {
  expect(completeUrl(typed)).toBe(url)
})
