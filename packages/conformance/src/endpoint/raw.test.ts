import { expect, test } from 'vitest'
import { openAndWrite, sendBytes } from './raw.ts'

test.each(['https://127.0.0.1:1', 'https://[::1]:1', 'http://127.0.0.1:1'])(
  'no bytes are written, and no response is received, where nothing listens: %s',
  async (url) => {
    const bytes = Buffer.from('POST / HTTP/1.1\r\n\r\n')
    expect(await sendBytes(new URL(url), bytes, 10_000)).toBe('')
    const socket = await openAndWrite(new URL(url), bytes)
    expect(socket.destroyed).toBe(true)
  },
)
