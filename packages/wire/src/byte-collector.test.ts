import { expect, test } from 'vitest'
import { createByteCollector } from './byte-collector.ts'

test('collects the bytes of any view, and returns them in a buffer of their own', () => {
  const collector = createByteCollector()
  expect([collector.toBytes(), collector.length, collector.allocated]).toEqual([new Uint8Array(), 0, 0])
  const large = Uint8Array.from({ length: 300 }, (_, index) => index)
  for (const chunk of [large.subarray(1, 2), Buffer.from([2]), new DataView(large.buffer, 3, 3), large])
    collector.add(chunk)
  expect(collector.toBytes()).toEqual(Uint8Array.of(1, 2, 3, 4, 5, ...large))
  expect(collector.toBytes().buffer.byteLength).toBe(305)
})

test('keeps none of the buffers, and allocates at most twice the bytes', () => {
  const collector = createByteCollector()
  for (let length = 1; length <= 5_000; length += 1) {
    const chunk = new Uint8Array(1_024).fill(7)
    collector.add(chunk.subarray(0, 1))
    chunk.fill(8)
    expect(collector.length).toBe(length)
    expect(collector.allocated).toBeLessThanOrEqual(2 * length)
  }
  expect(collector.toBytes().every((byte) => byte === 7)).toBe(true)
})
